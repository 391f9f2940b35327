// Scripts for the page, as texts: they use what only browsers have.

/** Collects the lengths of long tasks from the start of the page on. */
export const WATCH_TASKS = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  window.afterFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));`;

/** Times a loop that only computes, as a measure of the machine. */
export const LOOP = `Array.from({ length: 20 }, () => {
  const start = performance.now();
  let sum = 0;
  for (let at = 0; at < 5_000_000; at++) sum = (sum + at * 31) % 1_000_003;
  return performance.now() - start + (sum < 0 ? 1 : 0);
})`;

/** Opens notes one after the other by clicks in the tree; the time of each is up to the frame that shows its editor. */
export const OPEN_NOTE = `async (count) => {
  const times = [];
  const tree = document.querySelector('[role=tree]');
  const shown = () => document.querySelector('[data-editor-ready] .cm-content')?.textContent ?? '';
  for (let at = 0; at < count; at++) {
    const rows = [...tree.querySelectorAll('[role=treeitem][aria-level="2"]')];
    const row = rows[at % rows.length];
    const name = row.textContent.trim();
    const isThere = () => shown().startsWith(name + 'About') || shown().startsWith('# ' + name + 'About');
    if (isThere()) continue;
    const start = performance.now();
    row.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    while (!isThere()) {
      if (performance.now() - start > 20_000) throw new Error('not opened: ' + name + ': ' + shown().slice(0, 80));
      await window.afterFrame();
    }
    times.push(performance.now() - start);
  }
  return times;
}`;

/** Scrolls the tree to its end; resolves to the lengths of tasks over 50 ms. */
export const SCROLL_TREE = `(async () => {
  window.longTasks.length = 0;
  let scroller = document.querySelector('[role=tree]');
  while (scroller !== null && scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement;
  for (let step = 0; step < 200; step++) {
    scroller.scrollTop += 400;
    await window.afterFrame();
  }
  return [...window.longTasks];
})()`;

/** Records for each key the time up to the frame that shows it. */
export const KEYS = `
  window.keyTimes = [];
  addEventListener('keydown', () => {
    const start = performance.now();
    void window.afterFrame().then(() => window.keyTimes.push(performance.now() - start));
  }, { capture: true });`;

/** Waits until the layout of the graph ends; resolves to the lengths of tasks over 50 ms. */
export const DRAW_GRAPH = `(async () => {
  while (document.querySelector('[data-state=settled]') === null) await window.afterFrame();
  return [...window.longTasks];
})()`;
