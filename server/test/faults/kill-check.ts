import type { Answer } from '../kit/person.ts';
import { checkFiles } from './kill-files.ts';
import { callerOf, hashOf, type Known, type Ledger, lastVersion, type Slot } from './kill-load.ts';

/**
 * Compares what a server answers after a crash with what it acknowledged before; returns the differences in words.
 * Updates the ledger with the outcome of the interrupted writes, so that another load can continue from it.
 */
export async function checkLedger(url: string, ledger: Ledger): Promise<string[]> {
  const faults = ledger.refused.splice(0).map((refused) => `under load: ${refused}`);
  const caller = callerOf(url, ledger);
  faults.push(...(await checkFiles(caller, ledger.files)));
  const listed = await caller.get('/vaults');
  const ids = new Set((listed.body.vaults as { id: string }[]).map((vault) => vault.id));
  for (const [name, id] of ledger.vaults) {
    if (id === null) ledger.vaults.delete(name);
    else if (!ids.has(id)) faults.push(`vault ${name} was acknowledged and is gone`);
  }
  await Promise.all(
    ledger.slots.map(async (slot) => {
      const answer = await caller.get(`/notes/${encodeURI(slot.path)}`, { 'x-vault-id': slot.vault });
      const fault = compare(slot, answer);
      if (fault !== null) faults.push(`${slot.path} in ${slot.vault}: ${fault}`);
      slot.known = found(answer, lastVersion(slot.known));
      slot.pending = null;
    }),
  );
  return faults;
}

function compare({ known, pending }: Slot, answer: Answer): string | null {
  if (answer.status === 404) {
    if (known.kind === 'absent' || pending?.kind === 'delete') return null;
    return `version ${known.note.version} was acknowledged and is gone`;
  }
  if (answer.status !== 200) return `was answered ${answer.status} ${JSON.stringify(answer.body)}`;
  const { id, version, content, content_hash: hash } = answer.body;
  if (hashOf(content) !== hash) return 'its hash is not of its content';
  if (known.kind === 'live' && id === known.note.id && version === known.note.version) {
    return hash === known.note.hash ? null : `version ${version} has another text than was acknowledged`;
  }
  if (pending?.kind === 'write' && content.includes(pending.token) && (pending.hash ?? hash) === hash) {
    const next = lastVersion(known) + 1;
    return version === next ? null : `the write that was cut off made version ${version} instead of ${next}`;
  }
  if (pending?.kind === 'restore' && id === pending.id && hash === pending.hash) {
    const next = lastVersion(known) + 1;
    return version === next ? null : `the restore that was cut off made version ${version} instead of ${next}`;
  }
  return known.kind === 'absent'
    ? 'was never written, or its deletion was acknowledged'
    : `version ${version} was never sent`;
}

function found(answer: Answer, last: number): Known {
  if (answer.status !== 200) return { kind: 'absent', last, deleted: null };
  const { id, version, content_hash: hash, content } = answer.body;
  return { kind: 'live', note: { id, version, hash, content, before: null } };
}
