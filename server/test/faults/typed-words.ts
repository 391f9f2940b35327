import type { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import type { Caller } from '../kit/person.ts';

/** The words that one client typed into a note. */
export type TypedWords = Pick<AcknowledgingClient, 'note' | 'acknowledged' | 'faults'>;

/** Checks that the notes contain every acknowledged word, whole, and none twice. */
export async function checkWords(caller: Caller, people: readonly TypedWords[]): Promise<string[]> {
  const faults = people.flatMap((person) => person.faults.splice(0));
  for (const note of new Set(people.map((person) => person.note))) {
    const { status, body } = await caller.get(`/notes/by-id/${note}`);
    if (status !== 200) {
      faults.push(`${note} was answered ${status}`);
      continue;
    }
    const words = (body.content as string).match(/<[^>]*>/g) ?? [];
    const found = new Set(words);
    if (found.size < words.length) faults.push(`${note} has words twice`);
    if (words.join('') !== body.content) faults.push(`${note} has words that are not whole`);
    for (const person of people) {
      if (person.note !== note) continue;
      const lost = [...person.acknowledged].filter((word) => !found.has(word));
      if (lost.length > 0) faults.push(`${note} lost ${lost.length} acknowledged words, ${lost[0]} first`);
    }
  }
  return faults;
}
