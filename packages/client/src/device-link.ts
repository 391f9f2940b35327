import type { DeviceGrantResponse, DeviceStarted } from '@notevault/protocol/devices.ts';
import type { NotevaultClient } from './notevault-client.ts';
import { ApiError } from './transport.ts';

/** The link was refused, or its code expired: `message` is one of the error codes. */
export class LinkRefused extends Error {
  override readonly name = 'LinkRefused';
}

const SLOWER_S = 5;

/**
 * Links this device to a vault (RFC 8628): shows a code and waits until a person approves or refuses it, or it expires.
 *
 * @param show called with the code and the address at which to enter it.
 * @param sleep waits between two polls, in milliseconds.
 */
export async function linkDevice(
  client: NotevaultClient,
  names: { device_name?: string; vault_name?: string },
  show: (started: DeviceStarted) => void,
  sleep: (ms: number) => Promise<void>,
): Promise<DeviceGrantResponse> {
  const started = await client.startDeviceLink(names);
  show(started);
  for (let interval = started.interval; ; ) {
    await sleep(interval * 1000);
    try {
      return await client.pollDeviceLink(started.device_code);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'slow_down') interval += SLOWER_S;
      else if (error.code === 'access_denied' || error.code === 'expired_or_invalid') throw new LinkRefused(error.code);
      else if (error.code !== 'authorization_pending') throw error;
    }
  }
}
