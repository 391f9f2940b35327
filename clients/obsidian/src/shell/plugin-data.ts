import { SETTINGS, type Setting } from '@notevault/sync/rules/settings-files.ts';
import type { Connection } from '../sync/connect.ts';

/**
 * Contents of `data.json`. Other sync services may copy it to other devices, so it contains nothing device-specific and
 * no secrets.
 */
export interface PluginData {
  readonly connection: Connection | null;
  /** Groups of app settings to sync. */
  readonly settings: readonly Setting[];
  readonly exclusions: string;
  /** The largest file on phones; null for any. */
  readonly phoneMegabytes: number | null;
  readonly hasChecks: boolean;
}

const DEFAULTS: PluginData = {
  connection: null,
  settings: [],
  exclusions: '',
  phoneMegabytes: 20,
  hasChecks: false,
};

/** Reads what was stored, by this version or another one. */
export function pluginData(stored: unknown): PluginData {
  if (typeof stored !== 'object' || stored === null) return DEFAULTS;
  const given = stored as Partial<Record<keyof PluginData, unknown>>;
  const settings = Array.isArray(given.settings) ? given.settings : [];
  const megabytes = given.phoneMegabytes;
  return {
    connection: connectionOf(given.connection),
    settings: SETTINGS.filter((one) => settings.includes(one)),
    exclusions: typeof given.exclusions === 'string' ? given.exclusions : '',
    phoneMegabytes: megabytes === null || typeof megabytes === 'number' ? megabytes : DEFAULTS.phoneMegabytes,
    hasChecks: given.hasChecks === true,
  };
}

function connectionOf(given: unknown): Connection | null {
  const { url, vaultId, vaultName } = (given ?? {}) as Partial<Record<keyof Connection, unknown>>;
  if (typeof url !== 'string' || typeof vaultId !== 'string') return null;
  return { url, vaultId, vaultName: typeof vaultName === 'string' ? vaultName : vaultId };
}
