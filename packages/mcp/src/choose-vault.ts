import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { data, ToolFailure } from './text/answer.ts';
import type { ToolContext } from './tool.ts';

/**
 * Opens the vault that a call names by id or by a name that only one vault has. None may be named only if the
 * credential has access to one alone: a default would let a call change a vault that nobody meant. Throws ToolFailure.
 */
export async function chooseVault({ client, vaults }: ToolContext, wanted: string | undefined): Promise<VaultClient> {
  const all = await vaults();
  const found = wanted === undefined ? all : vaultsNamed(all, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return client.vault(only.id);
  if (all.length === 0) throw new ToolFailure('This credential has access to no vault.');
  const list = data(all.map(vaultLine).join('\n'));
  if (wanted === undefined) {
    throw new ToolFailure('Which vault? Send `vault` with one of these ids, or a name that occurs once:', list);
  }
  const why = found.length > 1 ? `${found.length} vaults have this name.` : 'There is no such vault.';
  throw new ToolFailure(`${why} Send \`vault\` with one of these ids:`, list);
}

function vaultsNamed(all: readonly Vault[], wanted: string): Vault[] {
  const byId = all.filter(({ id }) => id === wanted.toLowerCase());
  if (byId.length > 0) return byId;
  const exact = all.filter(({ name }) => name === wanted);
  return exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

export function vaultLine({ id, name, note_count: notes, access }: Vault): string {
  return `${id}  ${name}  (${notes} notes, ${access === 'read' ? 'read only' : 'writable'})`;
}
