import { isMainThread } from 'node:worker_threads';
import fc from 'fast-check';

// Preloaded into every test file: property tests draw the same examples each time, so that a change is judged by what it
// changed. TEST_SEED names another seed, or `random` for new ones; what fails there becomes an example of its own.
const asked = process.env.TEST_SEED ?? '20261120';
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

// A file whose tests are over, and which something keeps from ending, would hold up all others without a word.
const DEADLINE_MINUTES = Number(process.env.TEST_FILE_MINUTES ?? 15);
if (isMainThread) {
  const deadline = setTimeout(() => {
    process.stderr.write(`${process.argv[1]} has not ended after ${DEADLINE_MINUTES} minutes\n`);
    process.exit(1);
  }, DEADLINE_MINUTES * 60_000);
  // It fires all the same while something else keeps the process.
  deadline.unref();
}
