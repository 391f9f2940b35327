import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { vaultsQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { firstVault } from '../../page/last-vault.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import { ImportPanel } from '../imports/import-panel.tsx';
import styles from './welcome.module.css';

/** Brings notes into the first vault, or begins with an empty one. The vault is made by whichever is chosen. */
export function NotesStep() {
  const t = useTexts('welcome');
  const tVault = useTexts('vault');
  const navigate = useNavigate();
  const attempt = useAttempt();
  const queries = useQueryClient();
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const [name, setName] = useState(tVault('firstVault.suggestion'));
  const vault = firstVault(vaults);
  const making = useRef<Promise<string> | null>(null);
  const vaultOf = (): Promise<string> => {
    if (vault !== null) return Promise.resolve(vault.id);
    making.current ??= api
      .createVault(name)
      .then(async ({ id }) => {
        await queries.invalidateQueries({ queryKey: keys.vaults });
        return id;
      })
      .finally(() => {
        making.current = null;
      });
    return making.current;
  };
  const goOn = async () => {
    await vaultOf();
    await navigate({ to: '/', search: { welcome: 'connect' } });
  };
  return (
    <>
      {vault === null ? (
        <div className={styles.name}>
          <Field
            label={tVault('firstVault.name')}
            hint={tVault('firstVault.text')}
            value={name}
            maxLength={120}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
      ) : null}
      <ImportPanel
        vaultId={vault?.id ?? null}
        vaultOf={vaultOf}
        next={
          <Link to="/" search={{ welcome: 'connect' }} className={buttonClass('primary')}>
            {t('next')}
          </Link>
        }
        skip={
          <div className={styles.skip}>
            <Button aria-disabled={attempt.isRunning} onClick={() => attempt.run(goOn)}>
              {t(vault === null ? 'notes.empty' : 'notes.skip')}
            </Button>
          </div>
        }
      />
      {attempt.error === null ? null : <Notice kind="danger">{errorText(tVault, attempt.error)}</Notice>}
    </>
  );
}
