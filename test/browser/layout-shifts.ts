// What has moved on a page without the payer's doing, as the browser reports it.
import type { Visit } from './visit';

const READ = `new Promise((resolve) => {
  const markup = (node) => (node instanceof Element ? node.outerHTML : String(node?.textContent));
  const moved = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      for (const { node, previousRect, currentRect } of sources) {
        moved.push(markup(node).slice(0, 120) + ' from ' + previousRect.y + ' to ' + currentRect.y);
      }
    }
  }).observe({ type: 'layout-shift', buffered: true });
  // Two frames later the browser has reported all that it has painted.
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(moved)));
})`;

/** Elements that moved, from which height to which; none on a page that stays still. */
export function layoutShiftsOf({ page }: Visit): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(READ);
}
