import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type RunningProgram, runProgram, startProgram, versionOf } from './programs.ts';

/** A program that keeps two folders equal. */
export interface FolderSyncer {
  readonly name: string;
  /** Makes `there` equal to `here` for the first time; resolves to the milliseconds it took. */
  first(here: string, there: string): Promise<number>;
  /** Runs when nothing has changed; null for a program that always runs. */
  again(here: string, there: string): Promise<number | null>;
  /** Processor time so far, in seconds, of what runs beside the commands: a server, or the program itself. */
  cpu(): Promise<number>;
  /** Keeps both in step from now on; null for a program that only runs when it is told. */
  watch(here: string, there: string): Promise<readonly RunningProgram[] | null>;
}

/** `unison` on one machine, without a server. */
export function unison(home: string): FolderSyncer | null {
  const version = versionOf('unison', '-version');
  if (version === null) return null;
  const env = { UNISON: home };
  const flags = ['-batch', '-auto', '-times', '-ui', 'text', '-confirmbigdel=false', '-silent'];
  const run = (here: string, there: string) => runProgram('unison', [here, there, ...flags], env);
  return {
    name: version,
    first: run,
    again: run,
    cpu: async () => 0,
    async watch(here, there) {
      if (versionOf('unison-fsmonitor', '-version') === null && versionOf('which', 'unison-fsmonitor') === null)
        return null;
      return [startProgram('unison', [here, there, ...flags, '-repeat', 'watch'], env)];
    },
  };
}

/** `rclone bisync` on one machine, without a server; it does not watch. */
export function rclone(home: string): FolderSyncer | null {
  const version = versionOf('rclone', 'version');
  if (version === null) return null;
  const run = (here: string, there: string, ...more: string[]) =>
    runProgram('rclone', ['bisync', here, there, '--workdir', home, ...more]);
  return {
    name: `${version} bisync`,
    first: (here, there) => run(here, there, '--resync'),
    again: (here, there) => run(here, there),
    cpu: async () => 0,
    watch: async () => null,
  };
}

/** Two instances of `syncthing` that know only each other. */
export function syncthing(home: string): FolderSyncer | null {
  const version = versionOf('syncthing', '--version');
  if (version === null) return null;
  const programs: RunningProgram[] = [];
  return {
    name: version.split(' ').slice(0, 2).join(' '),
    async first(here, there) {
      const sides = [
        { home: join(home, 'here'), folder: here, port: 22_100 },
        { home: join(home, 'there'), folder: there, port: 22_101 },
      ];
      for (const side of sides)
        await runProgram('syncthing', ['generate', `--home=${side.home}`, '--skip-port-probing']);
      const ids = await Promise.all(
        sides.map(async (side) => deviceOf(await readFile(join(side.home, 'config.xml'), 'utf8'))),
      );
      for (const side of sides) await writeFile(join(side.home, 'config.xml'), configOf(side, sides, ids));
      for (const side of sides) mkdirSync(join(side.folder, '.stfolder'), { recursive: true });
      const from = performance.now();
      for (const side of sides)
        programs.push(
          startProgram('syncthing', ['serve', `--home=${side.home}`, '--no-browser', '--no-restart', '--no-upgrade']),
        );
      await untilInStep();
      return performance.now() - from;
    },
    again: async () => null,
    async cpu() {
      const each = await Promise.all(programs.map((program) => program.cpu()));
      return each.reduce((sum, seconds) => sum + seconds, 0);
    },
    watch: async () => programs,
  };

  async function untilInStep(): Promise<void> {
    for (;;) {
      await wait(200);
      const answers = await Promise.all(
        [23_100, 23_101].map((port) =>
          fetch(`http://127.0.0.1:${port}/rest/db/status?folder=bench`, { headers: { 'x-api-key': API_KEY } })
            .then(async (answer) => (await answer.json()) as { needFiles: number; localFiles: number; state: string })
            .catch(() => null),
        ),
      );
      const [one, other] = answers;
      const isIdle = answers.every((answer) => answer?.state === 'idle' && answer.needFiles === 0);
      if (isIdle && one != null && one.localFiles > 0 && one.localFiles === other?.localFiles) return;
    }
  }
}

const API_KEY = 'bench';

function deviceOf(config: string): string {
  return /<device id="([^"]+)"/.exec(config)?.[1] ?? '';
}

interface SyncthingSide {
  readonly folder: string;
  readonly port: number;
}

/** The least that it needs; changes are gathered for one second, its shortest time, instead of ten. */
function configOf(side: SyncthingSide, sides: readonly SyncthingSide[], ids: readonly string[]): string {
  const devices = ids.map((id, index) => {
    const address = `tcp://127.0.0.1:${sides[index]?.port}`;
    return `<device id="${id}" name="${index}" compression="never"><address>${address}</address></device>`;
  });
  const members = ids.map((id) => `<device id="${id}"></device>`).join('');
  return `<configuration version="35">
<folder id="bench" path="${side.folder}" type="sendreceive" fsWatcherEnabled="true" fsWatcherDelayS="1">${members}</folder>
${devices.join('\n')}
<gui enabled="true"><address>127.0.0.1:${side.port + 1000}</address><apikey>${API_KEY}</apikey></gui>
<options><listenAddress>tcp://127.0.0.1:${side.port}</listenAddress><globalAnnounceEnabled>false</globalAnnounceEnabled>
<localAnnounceEnabled>false</localAnnounceEnabled><relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
<urAccepted>-1</urAccepted><crashReportingEnabled>false</crashReportingEnabled></options>
</configuration>
`;
}
