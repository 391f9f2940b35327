import type { NewKeyBody } from '@notevault/protocol/api-keys.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { vaultsQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice, Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';
import { ShownOnce } from './shown-once.tsx';

const LEVELS = ['none', 'read', 'write'] as const;

/** Makes a personal access token with a level for each vault, and shows it once. */
export function NewToken() {
  const t = useTexts('settings');
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const [secret, setSecret] = useState<string | null>(null);
  const [nothingChosen, setNothingChosen] = useState(false);
  const creating = useChange(account.createToken, keys.connections);
  return (
    <section className={styles.section} aria-labelledby="new-token">
      <h2 id="new-token">{t('tokens.title')}</h2>
      <p>{t('tokens.about')}</p>
      {secret === null ? null : <ShownOnce about={t('tokens.once')} secret={secret} />}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const { currentTarget: form } = event;
          const ids = vaults.map(({ id }) => id);
          const token = tokenOf(new FormData(form), ids);
          const isUseless = [token.default_access, ...Object.values(token.vault_access ?? {})].every(isNone);
          setNothingChosen(isUseless);
          if (isUseless) return;
          creating.mutate(token, {
            onSuccess: ({ key }) => {
              setSecret(key);
              form.reset();
            },
          });
        }}
      >
        <Field label={t('tokens.name')} name="name" required maxLength={80} />
        {vaults.map(({ id, name }) => (
          <Choice key={id} label={name} name={id} defaultValue="none">
            <Levels />
          </Choice>
        ))}
        <Choice label={t('tokens.later')} name="default_access" defaultValue="none">
          <Levels />
        </Choice>
        {nothingChosen ? <Notice kind="danger">{t('tokens.choose')}</Notice> : null}
        <Button type="submit" aria-disabled={creating.isPending}>
          {t('tokens.create')}
        </Button>
      </form>
    </section>
  );
}

function isNone(level: unknown): boolean {
  return level === 'none';
}

function Levels() {
  const t = useTexts('settings');
  return LEVELS.map((level) => (
    <option key={level} value={level}>
      {t(`tokens.${level}`)}
    </option>
  ));
}

function tokenOf(form: FormData, vaults: readonly string[]): NewKeyBody {
  const level = LEVELS.find((name) => name === form.get('default_access')) ?? 'none';
  return {
    name: String(form.get('name')),
    default_access: level,
    vault_access: Object.fromEntries(vaults.map((id) => [id, String(form.get(id))])),
  };
}
