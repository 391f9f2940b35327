import type { VaultClient } from '@notevault/client/vault-client.ts';
import { sharingInWords } from '@notevault/client/vault-sharing.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { data, ToolFailure, type VaultData } from './text/answer.ts';
import type { ToolContext } from './tool.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Opens the vault that a call names by id or by a name that only one vault has. None may be named only if the
 * credential has access to one alone: a default would let a call change a vault that nobody meant. Throws ToolFailure.
 */
export async function chooseVault(context: ToolContext, wanted: string | undefined): Promise<VaultClient> {
  const { client, vaults } = context;
  // Whether it exists, and for this credential, the first request to it tells: see `noSuchVault`.
  if (wanted !== undefined && UUID.test(wanted)) return client.vault(wanted.toLowerCase());
  const all = await vaults();
  const found = wanted === undefined ? all : vaultsNamed(all, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return client.vault(only.id);
  if (wanted === undefined && all.length > 0) {
    throw new ToolFailure('Which vault? Send `vault` with one of these ids, or a name that occurs once:', listOf(all));
  }
  throw await noSuchVault(context, found.length > 1 ? `${found.length} vaults have this name.` : undefined);
}

/** Returns the refusal of a call for a vault that does not exist, or not for this credential: both are told alike. */
export async function noSuchVault({ vaults }: ToolContext, why = 'There is no such vault.'): Promise<ToolFailure> {
  const all = await vaults();
  if (all.length === 0) return new ToolFailure('This credential has access to no vault.');
  return new ToolFailure(`${why} Send \`vault\` with one of these ids:`, listOf(all));
}

function listOf(all: readonly Vault[]): VaultData {
  return data(all.map(vaultLine).join('\n'));
}

function vaultsNamed(all: readonly Vault[], wanted: string): Vault[] {
  const exact = all.filter(({ name }) => name === wanted);
  return exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

export function vaultLine({ id, name, note_count: notes, access, ...whose }: Vault): string {
  const sharing = sharingInWords(whose);
  const facts = [
    counted(notes, 'note'),
    access === 'read' ? 'read only' : 'writable',
    ...(sharing === null ? [] : [sharing]),
  ];
  return `${id}  ${name}  (${facts.join(', ')})`;
}
