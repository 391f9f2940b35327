import { useTree } from '../../data/use-tree.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { dayBeside, dayOfNote, daysIn } from '../../workspace/days.ts';
import { useFolders } from '../../workspace/folders.ts';
import { useVaultActions } from '../commands/vault-actions.ts';
import styles from './note-head.module.css';

interface DayBarProps {
  readonly vaultId: string;
  readonly noteId: string;
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** At the head of a daily note, the ones before and after it, and the calendar; nothing at other notes. */
export function DayBar({ vaultId, noteId }: DayBarProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const { openDaily, open } = useVaultActions();
  const days = daysIn(useTree(vaultId), useFolders(vaultId).daily);
  const day = dayOfNote(days, noteId);
  if (day === null) return null;
  const beside = (step: -1 | 1) => {
    const next = dayBeside(days, day, step);
    const name = next === undefined ? null : new Date(`${next}T00:00`).toLocaleDateString(language, DAY);
    const none = step < 0 ? t('daily.noneBefore') : t('daily.noneAfter');
    const label = name === null ? none : t(step < 0 ? 'daily.before' : 'daily.after', { day: name });
    return (
      <Button
        look="quiet"
        isIcon
        className={styles.step ?? ''}
        aria-label={label}
        title={label}
        aria-disabled={next === undefined}
        onClick={() => {
          if (next !== undefined) openDaily(next);
        }}
      >
        {step < 0 ? <Icon name="back" /> : null}
        <span>{name}</span>
        {step > 0 ? <Icon name="chevron" /> : null}
      </Button>
    );
  };
  return (
    <div className={styles.days}>
      {beside(-1)}
      <Button
        look="quiet"
        isIcon
        aria-label={t('action.calendar')}
        title={t('action.calendar')}
        onClick={() => open('calendar')}
      >
        <Icon name="calendar" />
      </Button>
      {beside(1)}
    </div>
  );
}
