import { type ReactNode, useEffect, useRef } from "react";

/**
 * A box that renders its children while `seen` is true and stays empty otherwise. `onSeen` is called when it comes into
 * view before that. `className` sets its height.
 */
export function WhenSeen(props: {
  seen: boolean;
  onSeen: () => void;
  className: string;
  children: ReactNode;
}) {
  const { seen, onSeen, className, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const report = useRef(onSeen);
  report.current = onSeen;
  useEffect(() => {
    if (box.current === null || seen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) report.current();
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [seen]);
  return (
    <div ref={box} className={className}>
      {seen ? children : null}
    </div>
  );
}
