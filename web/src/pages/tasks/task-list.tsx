import type { Task, TaskState } from '@notevault/protocol/tasks.ts';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useId } from 'react';
import { noteName } from '../../data/tree/tree-index.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import type { TaskOrder } from '../../page/search-params.ts';
import { Button } from '../../ui/controls/button.tsx';
import { dayOf } from '../../ui/text/day-of.ts';
import { type DueGroup, dueText, groupTasks, shownText, taskKey } from './task-groups.ts';
import styles from './tasks.module.css';
import type { Problem } from './ticked-tasks.ts';
import type { useTicks } from './use-ticks.ts';

interface TaskListProps {
  readonly vaultId: string;
  readonly tasks: readonly Task[];
  readonly by: TaskOrder;
  readonly state: TaskState;
  readonly ticks: ReturnType<typeof useTicks>;
  /** Whether newer ones are being read. */
  readonly isOld: boolean;
}

/** Tasks in groups. Arrows go from box to box, Space ticks, Enter opens the note. */
export function TaskList({ vaultId, tasks, by, state, ticks, isOld }: TaskListProps) {
  const t = useTexts('tasks');
  const today = dayOf(new Date());
  const titleOf = (name: string) => {
    if (by === 'note') return noteName(name);
    if (by === 'tag') return name === '' ? t('untagged') : `#${name}`;
    return t(state === 'done' && name === 'overdue' ? 'group.past' : `group.${name as DueGroup}`);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the boxes in it
    <div className={styles.groups} aria-busy={isOld} onKeyDown={moveFocus}>
      {groupTasks(tasks, by, today).map((group) => (
        <section key={group.name} className={styles.group} aria-label={titleOf(group.name)}>
          <h2 dir="auto">
            {titleOf(group.name)} <span>{group.tasks.length}</span>
          </h2>
          <ul>
            {group.tasks.map((task) => (
              <Row
                key={taskKey(task)}
                vaultId={vaultId}
                task={task}
                today={today}
                isOverdue={task.state === 'open' && task.due !== null && task.due < today}
                hasNote={by !== 'note'}
                problem={ticks.touched.get(taskKey(task))?.problem}
                ticks={ticks}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface RowProps extends Pick<TaskListProps, 'vaultId' | 'ticks'> {
  readonly task: Task;
  readonly today: string;
  readonly isOverdue: boolean;
  /** Whether its note is named. */
  readonly hasNote: boolean;
  readonly problem: Problem | undefined;
}

function Row({ vaultId, task, today, isOverdue, hasNote, problem, ticks }: RowProps) {
  const t = useTexts('tasks');
  const language = useLanguage();
  const id = useId();
  const isDone = task.state === 'done';
  const text = shownText(task);
  return (
    <li className={styles.task}>
      <label className={styles.tick}>
        <input
          type="checkbox"
          checked={isDone}
          disabled={!ticks.canTick}
          onChange={() => ticks.tick(task)}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        />
        <span className={isDone ? styles.done : undefined} dir="auto">
          {text}
        </span>
      </label>
      <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: task.note_id }} className={styles.about}>
        {task.due === null ? null : (
          <time dateTime={task.due} className={isOverdue ? styles.due : undefined}>
            {isOverdue ? <span className="visually-hidden">{t('group.overdue')}: </span> : null}
            {dueText(task.due, today, language)}
          </time>
        )}
        {task.due !== null && hasNote ? <i> · </i> : null}
        {hasNote ? <span dir="auto">{noteName(task.path)}</span> : null}
        {task.due === null && !hasNote ? t('note') : null}
      </Link>
      {problem === undefined ? null : (
        <div id={`${id}-problem`} className={styles.problem} role="alert">
          <p>{problem.kind === 'failed' ? problem.text : t(`problem.${problem.kind}`)}</p>
          {problem.kind === 'changed' && problem.text !== '' ? <code dir="auto">{problem.text}</code> : null}
          <Button look="quiet" onClick={() => ticks.dismiss(task)}>
            {t('dismiss')}
          </Button>
        </div>
      )}
    </li>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  if (!(target instanceof HTMLInputElement)) return;
  if (key === 'Enter') target.closest('li')?.querySelector('a')?.click();
  const step = STEPS[key];
  if (step === undefined) return;
  event.preventDefault();
  const boxes = [...currentTarget.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  boxes[boxes.indexOf(target) + step]?.focus();
}
