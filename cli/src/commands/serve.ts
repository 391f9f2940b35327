import { restartLean } from '@notevault/server/config/process-memory.ts';
import { Command } from 'commander';
import { configOf, withConfig } from '../config-flags.ts';

export function serveCommand(): Command {
  return withConfig(new Command('serve'))
    .description('Run the server until it is told to stop (SIGTERM, SIGINT; a second one hurries)')
    .action(async (flags: Record<string, unknown>) => {
      const config = configOf(flags);
      restartLean();
      const { serve } = await import('@notevault/server/serve.ts');
      const { createLogger } = await import('@notevault/server/telemetry.ts');
      const log = createLogger(config.logLevel);
      const serving = await serve(config, log);
      // Before anybody is told that it listens: who heard that may stop it at once.
      const stopped = stopSignal(config.shutdownSeconds);
      const print = (line: string) => process.stderr.write(`${line}\n`);
      print(`Notevault listens on ${serving.url}`);
      print(`  API      ${serving.url}/api; there is no web page yet`);
      print(`  data     ${config.databaseUrl === null ? config.dataDir : 'PostgreSQL'}`);
      print(`  key      ${serving.keyOrigin}`);
      if (serving.madeKey) {
        print(
          '           This key was made just now. BACK IT UP, apart from the data: without it no note can be read again.',
        );
      }
      if (serving.noAccounts) {
        print('  account  Nobody has one yet. Make the first, which becomes the admin, in another terminal:');
        print('           notevault admin create-user you@example.org    (in a clone: npm run notevault -- admin …)');
      }
      await stopped;
      print('Stopping: running requests may finish.');
      await serving[Symbol.asyncDispose]();
      print('Stopped.');
    });
}

/** Resolves at the first signal; from then on a second signal, or the deadline, ends the process at once. */
function stopSignal(deadlineSeconds: number): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    // Everything acknowledged is on disk already, so hurrying loses only what nobody was promised.
    const hurry = () => process.kill(process.pid, 'SIGKILL');
    const stop = () => {
      if (asked) hurry();
      asked = true;
      setTimeout(hurry, deadlineSeconds * 1000).unref();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
