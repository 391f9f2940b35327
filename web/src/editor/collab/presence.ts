import { colorOf, PEOPLE } from '../../platform/people.ts';

/** Owner of a cursor. */
export interface Presence {
  readonly name: string;
  readonly color: string;
  readonly colorLight: string;
}

/** A person who has the note open, in any number of windows. */
export interface Person extends Presence {
  /** Identifies the person across all their windows; only one window, if the server does not name cursor owners. */
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
 * Returns the person of an awareness state, as named by the server, else by the client; null if the state names nobody.
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
  // The colour goes into a style, so only this app's own colours are accepted.
  const color = PEOPLE.find((one) => one === user?.color);
  return said === null || color === undefined ? null : { id: String(client), ...colored(said, color) };
}

type Said = Readonly<Record<string, unknown>>;

/** Returns the other people who have the note open, each person once. */
export function othersPresent(states: States, own: number, noName: string): readonly Person[] {
  const people = new Map<string, Person>();
  for (const [client, state] of states.getStates()) {
    const person = client === own ? null : personOf(client, state, noName);
    if (person !== null) people.set(person.id, person);
  }
  return [...people.values()];
}

/** Returns the awareness states for drawing cursors, each with the name and colour of its person. */
export function statesByPerson(others: States, noName: string): Map<number, Record<string, unknown>> {
  const states = new Map<number, Record<string, unknown>>();
  for (const [client, state] of others.getStates()) {
    const person = personOf(client, state, noName);
    states.set(client, { ...(state as object), user: person ?? undefined });
  }
  return states;
}
