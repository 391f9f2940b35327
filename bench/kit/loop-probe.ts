import { monitorEventLoopDelay } from 'node:perf_hooks';

// Preloaded into a measured process: on SIGUSR2 it reports the event loop's delays and resets them.
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number) => Math.round(nanoseconds / 1e4) / 100;
  const [p50Ms, p99Ms, maxMs] = [ms(delays.percentile(50)), ms(delays.percentile(99)), ms(delays.max)];
  process.stderr.write(`loop ${JSON.stringify({ p50Ms, p99Ms, maxMs })}\n`);
  delays.reset();
});
