import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CONTROLS, type Control } from '@notevault/sync/run/run-once.ts';
import type { SyncStatus } from '@notevault/sync/run/sync-status.ts';
import type { ControlRequest } from '@notevault/sync/watch/watch-loop.ts';
import { CliError } from '../../error-messages.ts';
import { replaceFile } from './folder-registry.ts';
import { readStatus } from './status-file.ts';

/** Returns the folder of requests to the syncing process, which watches it. */
export async function requestsFolder(place: string): Promise<string> {
  const folder = join(place, 'requests');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Takes the requests that came since the last call, oldest first. */
export async function takeRequests(place: string): Promise<ControlRequest[]> {
  const folder = await requestsFolder(place);
  const requests: ControlRequest[] = [];
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json')).sort()) {
    const request = JSON.parse(await readFile(join(folder, name), 'utf8')) as ControlRequest;
    await rm(join(folder, name));
    if (CONTROLS.includes(request.control)) requests.push(request);
  }
  return requests;
}

const ANSWER_MS = 60_000;
const POLL_MS = 100;

/** Sends a request to the process that syncs the folder; resolves to its status once it has answered. */
export async function requestControl(place: string, control: Control): Promise<SyncStatus> {
  const id = `${Date.now()}-${randomBytes(6).toString('hex')}`;
  await replaceFile(join(await requestsFolder(place), `${id}.json`), JSON.stringify({ id, control }));
  for (const start = performance.now(); performance.now() - start < ANSWER_MS; await wait(POLL_MS)) {
    const status = await readStatus(place);
    if (status?.answered.includes(id)) return status;
  }
  throw new CliError('The process that syncs this folder did not answer within a minute. It may still do so.');
}
