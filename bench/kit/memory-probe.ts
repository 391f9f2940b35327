import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Preloaded into a measured process: collects its garbage on SIGUSR1, and says what is left. How much of what it does not
// need any more a process still holds is the collector's business; what it cannot let go of is ours.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR1', () => {
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const mb = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10;
  process.stderr.write(`memory ${JSON.stringify({ resident: mb(rss), used: mb(heapUsed + external) })}\n`);
});
