import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { GB } from '@notevault/protocol/values/byte-units.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { BackupState } from './backup/take/lease.ts';
import { DAMAGE_HELP } from './data/damage-help.ts';
import type { Finding } from './doctor.ts';

/** The machine and the process, for operators and bug reports: no names, no addresses, no contents. */
export type MachineStatus = Awaited<ReturnType<typeof machineStatus>>;

const DISK_FREE_BYTES = GB;
const DISK_FREE_SHARE = 0.05;
const OPEN_FILES_MIN = 4096;
const BACKUP_AGE_MS = 48 * 3_600_000;

export async function machineStatus(dataDir: string) {
  const disk = await statfs(dataDir).catch(() => null);
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    residentBytes: process.memoryUsage.rss(),
    /** Free and total bytes on the disk of the data folder; null if it cannot be read. */
    disk: disk === null ? null : { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
    /** The limit of open files and sockets; null where the system does not tell. */
    openFilesMax: await openFilesMax(),
  };
}

/**
 * Returns faults of the machine, present or near.
 *
 * @param folder the data folder, to be named when its disk has little space; without it no path is named.
 */
export function examineMachine({ disk, openFilesMax }: MachineStatus, folder?: string): Finding[] {
  const findings: Finding[] = [];
  if (disk !== null) {
    const free = `${(disk.free / 1e9).toFixed(1)} GB of ${(disk.total / 1e9).toFixed(1)} GB free`;
    const ok = disk.free >= Math.min(DISK_FREE_BYTES, disk.total * DISK_FREE_SHARE);
    const where = folder === undefined ? '' : ` on the disk of ${folder}`;
    const says = ok ? free : `only ${free}${where}: with a full disk, nothing can be written`;
    findings.push({ what: 'disk', ok, says });
  }
  if (openFilesMax !== null) {
    const ok = openFilesMax >= OPEN_FILES_MIN;
    const says = `at most ${openFilesMax}`;
    const fix = `${says}; each socket needs one: set LimitNOFILE=65536 (systemd) or "ulimit -n 65536"`;
    findings.push({ what: 'open files', ok: true, warning: !ok, says: ok ? says : fix });
  }
  return findings;
}

/** Whether backups are taken, and end well. */
export function examineBackups(
  { takenAt, failure }: Omit<BackupState, 'running'>,
  now: number,
  backupDir: string | null,
): Finding {
  const what = 'backup';
  if (failure !== null) {
    const help =
      failure.reason === 'damaged' ? `the data is damaged. ${DAMAGE_HELP}` : 'run "notevault backup" to see why';
    const good = takenAt === null ? 'none ended well before' : `the last good one was taken at ${isoTime(takenAt)}`;
    return { what, ok: false, says: `the last one failed at ${isoTime(failure.at)}, and ${good}: ${help}` };
  }
  if (takenAt === null) {
    const says = 'none was ever taken here: run "notevault backup", or set NOTEVAULT_BACKUP_DIR';
    return { what, ok: true, warning: true, says };
  }
  const hours = Math.floor((now - takenAt) / 3_600_000);
  const says = `the last one is ${hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')} old`;
  if (now - takenAt <= BACKUP_AGE_MS) return { what, ok: true, says };
  // Without a schedule no newer backup is expected.
  return backupDir === null ? { what, ok: true, warning: true, says } : { what, ok: false, says };
}

async function openFilesMax(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
