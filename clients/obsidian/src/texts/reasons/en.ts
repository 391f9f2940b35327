import { filled, REASONS, type Values } from '@notevault/sync/rules/reasons.ts';

/** Why something is not synced: what the engine says, the paths of a vault, and this plugin’s own disk. */
export const en = {
  ...REASONS,
  noUtf8: 'must be valid UTF-8',
  controls: 'must not contain control characters',
  dots: 'must not contain ".." segments',
  empty: 'must not be empty',
  longName: 'must not contain a name longer than {bytes} bytes',
  longPath: 'must not be longer than {bytes} bytes',
  otherBytes: 'could not be written: the system has kept other bytes',
  otherSize: 'was sent with another size than announced',
  unreadable: 'cannot be read by this user',
  unchangeable: 'could not be changed: {reason}',
  edited: 'is being edited, and is changed once that is saved',
  large: 'has {size} MB, and this device syncs files up to {most} MB: change that in the settings',
  noMarker: '{file} is missing: this may not be the vault that was synced. Nothing was deleted.',
  otherVault: 'this vault is synced with another one on the server. Nothing was deleted.',
  oldServer: 'the server has version {version}, which is too old for this client: update the server',
  oldClient: 'this client is too old for version {version} of the server: update the client',
  unreachable: '{origin} cannot be reached',
};

export type ReasonTexts = Record<keyof typeof en, string>;

export function reason(code: keyof typeof en, values: Values = {}): string {
  return filled(en[code], values);
}
