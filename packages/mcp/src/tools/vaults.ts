import type { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { operations } from '@notevault/protocol/operations.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { vaultLine } from '../choose-vault.ts';
import { ADVICE_PATH, adviceIn } from '../resources.ts';
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

const READ_MAX = 20;

/** Returns the ids of the vaults that have advice for assistants, among the first 20. */
async function vaultsWithAdvice(client: NotevaultClient, all: readonly Vault[]): Promise<ReadonlySet<string>> {
  const read = all.slice(0, READ_MAX).map(async ({ id }) => ({ id, advice: await adviceIn(client.vault(id)) }));
  return new Set((await Promise.all(read)).flatMap(({ id, advice }) => (advice === null ? [] : [id])));
}
