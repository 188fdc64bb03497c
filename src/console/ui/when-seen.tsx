import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * A box that renders its children once it was in the window, and is empty before, so that code far down a page is
 * loaded only for those who scroll to it. `className` gives its height.
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
