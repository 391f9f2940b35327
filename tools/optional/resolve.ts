import { registerHooks } from 'node:module';

// Preloaded into the tests of this folder, and into the threads that they start: packages that the program finds beside
// it only where somebody installed them are found here.
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});
