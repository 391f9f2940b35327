import { colorOf, PEOPLE } from '../../platform/people.ts';

/** Owner of a cursor. */
export interface Presence {
  readonly name: string;
  readonly color: string;
  readonly colorLight: string;
}

/** A person who has the note open, in any number of windows. */
export interface Person extends Presence {
  /** The same for all windows of one person; of a server that does not say whose they are, of one window. */
  readonly id: string;
}

/** Part of Yjs awareness that lists the people in a note. */
export interface States {
  getStates(): ReadonlyMap<number, unknown>;
}

/** State of a client's cursor, for servers that do not name its owner. */
export function presenceOf(name: string, clientId: number): Presence {
  return colored(name, PEOPLE[clientId % PEOPLE.length] ?? PEOPLE[0]);
}

function colored(name: string, color: string): Presence {
  return { name, color, colorLight: `${color}40` };
}

/**
 * Returns the person behind the state of a client: as the server says, else as the client does; null if it shows
 * nobody.
 *
 * @param noName shown for a person without a name.
 */
export function personOf(client: number, state: unknown, noName: string): Person | null {
  const { actor, user } = (state ?? {}) as { readonly actor?: Said; readonly user?: Said };
  const said = typeof user?.name === 'string' ? user.name : null;
  if (typeof actor?.user_id === 'string') {
    const name = typeof actor.display_name === 'string' ? actor.display_name : noName;
    return { id: actor.user_id, ...colored(name, colorOf(actor.user_id)) };
  }
  // A colour goes into a style: only those that this app gives are taken.
  const color = PEOPLE.find((one) => one === user?.color);
  return said === null || color === undefined ? null : { id: String(client), ...colored(said, color) };
}

type Said = Readonly<Record<string, unknown>>;

/** The others that have a note open, each person once. */
export function othersPresent(states: States, own: number, noName: string): readonly Person[] {
  const people = new Map<string, Person>();
  for (const [client, state] of states.getStates()) {
    const person = client === own ? null : personOf(client, state, noName);
    if (person !== null) people.set(person.id, person);
  }
  return [...people.values()];
}

/** The states of a note as its cursors are drawn from them: each under the name and colour of its person. */
export function statesByPerson(others: States, noName: string): Map<number, Record<string, unknown>> {
  const states = new Map<number, Record<string, unknown>>();
  for (const [client, state] of others.getStates()) {
    const person = personOf(client, state, noName);
    states.set(client, { ...(state as object), user: person ?? undefined });
  }
  return states;
}
