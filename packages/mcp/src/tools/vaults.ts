import type { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { operations } from '@notevault/protocol/operations.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { vaultLine } from '../choose-vault.ts';
import { ADVICE_PATH } from '../resources.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { input } from './fields.ts';

export const listVaults = tool({
  name: 'list_vaults',
  title: 'List vaults',
  description: 'List the vaults that you can access, with their ids, whose they are, and whether you may write.',
  input: input({}),
  rule: operations.listVaults,
  async run(_input, { vaults, client }) {
    const all = await vaults();
    const advised = await vaultsWithAdvice(client, all);
    const structured = {
      notice: DATA_NOTICE,
      vaults: all.map(({ id, name, access, note_count: notes, role, owner }) => ({
        ...{ id, name, access: access ?? null, notes, ...(advised.has(id) ? { agents_md: true } : {}) },
        ...(role === undefined || role === 'owner' ? {} : { shared_by: owner?.display_name ?? null }),
      })),
    };
    const parts = all.length === 0 ? ['No vault is accessible.'] : [data(all.map(vaultLine).join('\n'))];
    const ids = [...advised].join(', ');
    const advice = advised.size === 0 ? [] : [`Read the note ${ADVICE_PATH} first; these vaults have one: ${ids}.`];
    return { parts: [...parts, ...advice], structured };
  },
});

const LOOKED_INTO_MAX = 20;

/** The ids of the vaults with a note of advice for assistants; those beyond the first 20 are not looked into. */
async function vaultsWithAdvice(client: NotevaultClient, all: readonly Vault[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    all.slice(0, LOOKED_INTO_MAX).map(async ({ id }) =>
      (await client
        .vault(id)
        .readNote(ADVICE_PATH)
        .catch(() => null)) === null
        ? []
        : [id],
    ),
  );
  return new Set(found.flat());
}
