import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { main } from '../kit/programs/process.ts';
import { SYNCED } from './power-cut.ts';

/*
 * Serves as the command does, on a disk that is slow to sync: each sync of the database's `-wal` file first keeps a copy
 * of what it makes durable, so that `cutPower` can put the file back as a power cut would leave it.
 */

const SLOWEST_MS = 30;
const { fdatasync } = fs;

function slowSync(descriptor: number, done: fs.NoParamCallback): void {
  const file = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  if (!file.endsWith('-wal')) {
    fdatasync(descriptor, done);
    return;
  }
  fs.copyFileSync(file, `${file}.syncing`);
  const sync = () =>
    fdatasync(descriptor, (error) => {
      if (error === null) fs.renameSync(`${file}.syncing`, `${file}${SYNCED}`);
      done(error);
    });
  setTimeout(sync, Math.random() * SLOWEST_MS);
}

fs.fdatasync = slowSync as typeof fs.fdatasync;
syncBuiltinESMExports();
await import(main);
