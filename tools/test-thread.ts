import hooks from 'node:async_hooks';
import fc from 'fast-check';
import '../clients/obsidian/test/stand-in/register.ts';

// Preloaded into the main thread of every test file. Property tests draw the same examples each time, so that a failure is due to a
// change. TEST_SEED sets another seed, or `random` for new ones; a failing example is then added as a test of its own.
const asked = process.env.TEST_SEED ?? '20261120';
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

// A file that does not exit after its tests would block all others without a message.
const DEADLINE_MINUTES = Number(process.env.TEST_FILE_MINUTES ?? 15);
const deadline = setTimeout(() => {
  process.stderr.write(`${process.argv[1]} has not ended after ${DEADLINE_MINUTES} minutes\n`);
  process.exit(1);
}, DEADLINE_MINUTES * 60_000);
// The timer does not keep the process alive, but fires while something else does.
deadline.unref();

// The test runner follows every promise, so that it can name the test in which an error was left uncaught; for tests that
// start a server that is a fifth of the work. With TEST_UNTRACED only the file of such an error fails, with its message.
// All else must still be followed: by it the runner knows in which suite a suite, a test or a hook was registered.
if (process.env.TEST_UNTRACED !== undefined) {
  const { createHook } = hooks;
  hooks.createHook = (callbacks) => {
    const ofRunner = new Error().stack?.includes('node:internal/test_runner/');
    return createHook(ofRunner ? { ...callbacks, trackPromises: false } : callbacks);
  };
}
