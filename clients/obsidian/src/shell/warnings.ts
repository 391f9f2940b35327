import type { App } from 'obsidian';
import { text } from '../texts/texts.ts';

/** Returns warnings about other services that change the vault's files. */
export async function warningsOf(app: App): Promise<string[]> {
  const warnings: string[] = [];
  const { adapter, configDir } = app.vault;
  if (isOn(await adapter.read(`${configDir}/core-plugins.json`).catch(() => '{}'), 'sync'))
    warnings.push(text('besideSync'));
  // Only desktops tell where the vault is; the addresses of its files do everywhere.
  if (/Mobile(%20| )Documents/.test(adapter.getResourcePath(configDir))) warnings.push(text('besideCloud'));
  return warnings;
}

/** Returns whether a core plugin is on: a list of those that are, or an object with each. */
function isOn(json: string, name: string): boolean {
  try {
    const plugins: unknown = JSON.parse(json);
    if (Array.isArray(plugins)) return plugins.includes(name);
    return typeof plugins === 'object' && plugins !== null && (plugins as Record<string, unknown>)[name] === true;
  } catch {
    return false;
  }
}
