import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * A box that stays empty until it has been scrolled into view, then renders its children: code far down a page is
 * loaded only for users who scroll to it. `className` sets its height.
 */
export function WhenSeen({ className, children }: { className: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (box.current === null || seen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
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
