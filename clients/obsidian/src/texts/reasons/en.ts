import { filled, REASONS, type Values } from '@notevault/sync/rules/reasons.ts';

/** Reasons why something is not synced: the engine's, those for invalid paths, and the plugin's own. */
export const en = {
  ...REASONS,
  noUtf8: 'must be valid UTF-8',
  controls: 'must not contain control characters',
  dots: 'must not contain ".." segments',
  empty: 'must not be empty',
  longName: 'must not contain a name longer than {bytes} bytes',
  longPath: 'must not be longer than {bytes} bytes',
  otherBytes: 'could not be written: the system stored different bytes',
  otherSize: 'arrived with a different size than announced',
  unreadable: 'cannot be read by this user',
  unchangeable: 'could not be changed: {reason}',
  edited: 'is being edited, and is updated once that is saved',
  large: 'has {size} MB, but this device syncs files up to {most} MB: you can change the limit in the settings',
  noMarker: '{file} is missing: this may not be the vault that was synced. Nothing was deleted.',
  otherVault: 'this vault is synced with another vault on the server. Nothing was deleted.',
  oldServer: 'the server has version {version}, which is too old for this client: update the server',
  oldClient: 'this client is too old for version {version} of the server: update the client',
  unreachable: '{origin} cannot be reached',
};

export type ReasonTexts = Record<keyof typeof en, string>;

export function reason(code: keyof typeof en, values: Values = {}): string {
  return filled(en[code], values);
}
