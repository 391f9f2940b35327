import { useSuspenseQuery } from '@tanstack/react-query';
import { healthQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './checks.module.css';
import { type Check, judge } from './checks.ts';
import { gatherFacts } from './gather-facts.ts';

/** Checks of the server's setup as this browser sees it, with remedies. */
export function ServerChecks() {
  const t = useTexts('welcome');
  const { data: health } = useSuspenseQuery(healthQuery);
  const { data: facts, refetch } = useSuspenseQuery({
    queryKey: ['checks', health.last_backup_at, health.backup_failed_at],
    queryFn: () => gatherFacts(health),
  });
  return (
    <div className={styles.checks}>
      <ul>
        {judge(facts, Date.now()).map((check) => (
          <CheckRow key={check.id} check={check} />
        ))}
      </ul>
      <div>
        <Button onClick={() => void refetch()}>{t('checks.again')}</Button>
      </div>
    </div>
  );
}

const ICONS = { ok: 'check', warning: 'alert', fault: 'close' } as const;

function CheckRow({ check: { id, state } }: { readonly check: Check }) {
  const t = useTexts('welcome');
  return (
    <li className={styles.check} data-state={state}>
      <span className={styles.mark}>
        <Icon name={ICONS[state]} size={16} />
        <span className="visually-hidden">{t(`checks.${state}`)}</span>
      </span>
      <span>{t(`checks.${id}.${state === 'ok' ? 'title' : 'bad'}`)}</span>
      {state === 'ok' ? null : <span className={styles.fix}>{t(`checks.${id}.fix`)}</span>}
    </li>
  );
}
