import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTree } from '../../data/use-tree.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { dayOf } from '../../ui/text/day-of.ts';
import { dayOfNote, daysIn } from '../../workspace/days.ts';
import { useFolders } from '../../workspace/folders.ts';
import type { ActionContext } from './action.ts';
import { addMonths, dayByKey, firstDayOf, monthOf } from './calendar.ts';
import styles from './calendar-dialog.module.css';

interface CalendarDialogProps {
  readonly context: ActionContext;
  readonly close: () => void;
}

/** A month of daily notes: those that there are are marked, and each day is opened, or made, from here. */
export function CalendarDialog({ context, close }: CalendarDialogProps) {
  const t = useTexts('vault');
  const { vaultId, noteId, role, openDaily } = context;
  const language = useRegion();
  const days = daysIn(useTree(vaultId), useFolders(vaultId).daily);
  const today = dayOf(new Date());
  const open = dayOfNote(days, noteId);
  const [day, setDay] = useState(open ?? today);
  const chosen = useRef<string | null>(null);
  const month = monthOf(day, firstDayOf(language));
  const choose = (next: string) => {
    if (role === 'viewer' && !days.has(next)) return;
    chosen.current = next;
    close();
  };
  const format = (options: Intl.DateTimeFormatOptions, of: string) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(new Date(`${of}T00:00:00Z`));
  return (
    <Dialog
      title={t('action.calendar')}
      close={close}
      closed={() => {
        if (chosen.current !== null) openDaily(chosen.current);
      }}
    >
      <div className={styles.head}>
        <Button look="quiet" isIcon aria-label={t('daily.monthBefore')} onClick={() => setDay(addMonths(day, -1))}>
          <Icon name="back" />
        </Button>
        <h3 aria-live="polite">{format({ month: 'long', year: 'numeric' }, day)}</h3>
        <Button look="quiet" isIcon aria-label={t('daily.monthAfter')} onClick={() => setDay(addMonths(day, 1))}>
          <Icon name="chevron" />
        </Button>
        <Button look="quiet" onClick={() => setDay(today)}>
          {t('home.today')}
        </Button>
      </div>
      <MonthGrid {...{ month, day, days, today, open, format, setDay, choose, language }} canMake={role !== 'viewer'} />
      {role === 'viewer' ? null : <p className={styles.hint}>{t('daily.hint')}</p>}
    </Dialog>
  );
}

interface MonthGridProps {
  readonly month: ReturnType<typeof monthOf>;
  /** The day that has the focus in the grid. */
  readonly day: string;
  readonly days: ReadonlyMap<string, string>;
  readonly today: string;
  /** The day whose note is open. */
  readonly open: string | null;
  readonly language: string;
  readonly canMake: boolean;
  readonly format: (options: Intl.DateTimeFormatOptions, of: string) => string;
  readonly setDay: (day: string) => void;
  readonly choose: (day: string) => void;
}

/** The days of a month, with one step of Tab: arrows move by days and weeks, Page keys by months. */
function MonthGrid(props: MonthGridProps) {
  const { month, day, days, today, open, language, canMake, format, setDay, choose } = props;
  const t = useTexts('vault');
  const grid = useRef<HTMLTableElement>(null);
  const isMoved = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the day
  useEffect(() => {
    if (isMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isMoved.current = false;
  }, [day]);
  const move = (event: KeyboardEvent) => {
    const next = dayByKey(event.key, day, firstDayOf(language));
    if (next === null) return;
    event.preventDefault();
    isMoved.current = true;
    setDay(next);
  };
  const isIn = (one: string) => Number(one.slice(5, 7)) === month.month;
  return (
    <table
      ref={grid}
      className={styles.grid}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: days are moved between by the arrow keys
      role="grid"
      aria-label={format({ month: 'long', year: 'numeric' }, day)}
      onKeyDown={move}
    >
      <thead>
        <tr>
          {month.weeks[0]?.map((one) => (
            <th key={one} scope="col" abbr={format({ weekday: 'long' }, one)}>
              {format({ weekday: 'short' }, one)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((one) => {
              const name = format({ dateStyle: 'full' }, one);
              return (
                <td key={one} data-open={one === open || undefined}>
                  <button
                    type="button"
                    tabIndex={one === day ? 0 : -1}
                    aria-label={days.has(one) ? t('daily.hasNote', { day: name }) : name}
                    aria-current={one === today ? 'date' : undefined}
                    aria-disabled={!canMake && !days.has(one)}
                    data-out={isIn(one) ? undefined : ''}
                    data-note={days.has(one) ? '' : undefined}
                    onClick={() => choose(one)}
                  >
                    {Number(one.slice(8))}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The language of the app, with the region of this browser if it has one for it: weeks begin by regions. */
function useRegion(): string {
  const language = useLanguage();
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language;
}
