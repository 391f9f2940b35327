import { useId, useRef, useSyncExternalStore } from 'react';
import { type EditorSession, othersIn } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Avatar } from '../../ui/controls/avatar.tsx';
import styles from './people.module.css';

const SHOWN = 4;

/** The others that have the note open: their initials, and who they are on a click. */
export function People({ session }: { readonly session: EditorSession }) {
  const t = useTexts('vault');
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const people = useSyncExternalStore(
    (listener) => {
      session.awareness?.on('change', listener);
      return () => session.awareness?.off('change', listener);
    },
    // A text, so that a cursor that moves draws nothing.
    () => JSON.stringify(othersIn(session, t('shared.noName')).map((person) => [person.id, person.name, person.color])),
  );
  const all = JSON.parse(people) as readonly [id: string, name: string, color: string][];
  if (all.length === 0) return null;
  /** Below the button, and within the window. */
  const place = () => {
    const { bottom = 0, left = 0 } = button.current?.getBoundingClientRect() ?? {};
    if (list.current === null) return;
    list.current.style.top = `${bottom + 4}px`;
    list.current.style.left = `${Math.max(8, Math.min(left, innerWidth - 248))}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.people}
        popoverTarget={id}
        aria-label={t('note.here', { names: all.map(([, name]) => name).join(', ') })}
      >
        {all.slice(0, SHOWN).map(([person, name, color]) => (
          <Avatar key={person} name={name} color={color} />
        ))}
        {all.length > SHOWN ? <span className={styles.more}>+{all.length - SHOWN}</span> : null}
      </button>
      <div ref={list} id={id} popover="auto" className={styles.list} onBeforeToggle={place}>
        <ul aria-label={t('shared.here')}>
          {all.map(([person, name, color]) => (
            <li key={person}>
              <Avatar name={name} color={color} />
              <span dir="auto">{name}</span>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
