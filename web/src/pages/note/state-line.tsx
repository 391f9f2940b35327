import { useCallback, useEffect, useRef, useState } from 'react';
import type { EditorSession, SaveState } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import styles from './note-editor.module.css';
import { useSessionFact } from './use-note-session.ts';

/** Assistive technology is told of changes at most this often. */
const ANNOUNCE_MS = 10_000;

/** Ways to recover a text that the server refuses. */
export interface Recovery {
  /** Saves it as a new note beside this one, and opens that. */
  keepAsNewNote(text: string): Promise<void>;
  /** Saves it as a file of this device. */
  saveAsFile(text: string): void;
  /** Sets it aside, and shows the note of the server. */
  stash(): Promise<void>;
  /** Gives it up, and leaves the note. */
  leave(): Promise<void>;
}

interface StateLineProps {
  readonly session: EditorSession;
  readonly recovery: Recovery;
}

/** A key whose edit is saved sooner changes nothing that one sees: drawing the word would take as long as the key. */
const SAVING_SHOWN_MS = 400;

/** The words of a state. Why somebody may only read by now is said above the text. */
function useStateText() {
  const t = useTexts('editor');
  const problems = useTexts('vault');
  return useCallback(
    ({ word, problem }: Pick<SaveState, 'word' | 'problem'>) => {
      if (word === null) return '';
      if (problem === 'no-permission') return t('state.not-accepted');
      return t(`state.${word}`, { problem: problem === null ? '' : problems(`problem.${problem}`) });
    },
    [t, problems],
  );
}

/** Says whether the note is saved. The word is written without React, because it may change with each key. */
export function StateLine({ session, recovery }: StateLineProps) {
  const textOf = useStateText();
  const shown = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      const { isLoud, word } = session.state;
      const line = shown.current;
      const text = textOf(session.state);
      if (line === null || line.textContent === text) return;
      line.dataset.look = isLoud ? 'loud' : (word ?? '');
      line.textContent = text;
    };
    const write = () => {
      const { word } = session.state;
      // Code that waits for a note to be saved reads it here; it draws nothing.
      if (shown.current !== null) shown.current.dataset.word = word ?? '';
      if (word === 'saving') {
        timer ??= setTimeout(show, SAVING_SHOWN_MS);
        return;
      }
      clearTimeout(timer);
      show();
    };
    write();
    const stop = session.changes.subscribe(write);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [session, textOf]);
  return (
    <div className={styles.state}>
      <span ref={shown} className={styles.word} data-testid="save-state" />
      <Announcement session={session} />
      <RecoveryButtons session={session} recovery={recovery} />
    </div>
  );
}

/** The words that matter to somebody who does not see the line: problems, and that they are over. */
function Announcement({ session }: { readonly session: EditorSession }) {
  const textOf = useStateText();
  const word = useSessionFact(session, ({ state }) => (state.word === 'saving' ? 'saved' : state.word));
  const problem = useSessionFact(session, ({ state }) => state.problem);
  const [text, setText] = useState('');
  const last = useRef(0);
  useEffect(() => {
    if (word === null) return;
    const wait = Math.max(0, last.current + ANNOUNCE_MS - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setText(textOf({ word, problem }));
    }, wait);
    return () => clearTimeout(timer);
  }, [word, problem, textOf]);
  return (
    <span role="status" className={styles.hidden}>
      {text}
    </span>
  );
}

/** Buttons shown when the note cannot be saved. */
function RecoveryButtons({ session, recovery }: StateLineProps) {
  const t = useTexts('editor');
  const word = useSessionFact(session, ({ state }) => (state.word === 'saving' ? 'saved' : state.word));
  const problem = useSessionFact(session, ({ state }) => state.problem);
  const isLoud = useSessionFact(session, ({ state }) => state.isLoud);
  if (word === 'offline-not-saved' || word === 'offline-kept') {
    return <Button onClick={() => session.reconnect()}>{t('recover.retry')}</Button>;
  }
  if (word !== 'cannot-save' || problem === null) return null;
  const text = () => session.text.toString();
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    showToast({ text: t('recover.copied'), kind: 'plain' });
  };
  const canKeep = problem !== 'signed-out' && problem !== 'no-permission';
  const isGone = problem === 'note-deleted' || problem === 'not-there';
  return (
    <>
      {canKeep && (isLoud || isGone) ? (
        <Button look="primary" onClick={() => void recovery.keepAsNewNote(text())}>
          {t('recover.keep')}
        </Button>
      ) : null}
      {problem === 'no-permission' ? (
        <Button look="primary" onClick={() => recovery.saveAsFile(text())}>
          {t('recover.file')}
        </Button>
      ) : null}
      <Button onClick={() => void copy()}>{t('recover.copy')}</Button>
      {isGone ? (
        <Button onClick={() => void recovery.leave()}>{t('recover.leave')}</Button>
      ) : (
        <Button onClick={() => void recovery.stash()}>{t('recover.discard')}</Button>
      )}
    </>
  );
}
