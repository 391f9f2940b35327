import type { LayoutAnswer, LayoutRequest } from './layout-messages.ts';
import { Layout } from './model/layout.ts';

// Runs the layout of a graph beside the page, and reports positions while it goes on.

const REPORT_MS = 400;
let latest = 0;

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => void layOut(data));

async function layOut({ run, positions, edges, steps }: LayoutRequest): Promise<void> {
  latest = run;
  const layout = new Layout({ positions, edges });
  let reported = performance.now();
  for (let step = 1; step <= steps; step++) {
    layout.step();
    const isDone = step === steps;
    if (!isDone && performance.now() - reported < REPORT_MS) continue;
    const answer: LayoutAnswer = { run, positions: layout.positions(), isDone };
    postMessage(answer, { transfer: [answer.positions.buffer] });
    // Another request may be waiting.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (run !== latest) return;
    reported = performance.now();
  }
}
