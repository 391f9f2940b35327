import fc from 'fast-check';

// Preloaded into every test file: property tests draw the same examples each time, so that a change is judged by what it
// changed. TEST_SEED names another seed, or `random` for new ones; what fails there becomes an example of its own.
const asked = process.env.TEST_SEED ?? '20261120';
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });
