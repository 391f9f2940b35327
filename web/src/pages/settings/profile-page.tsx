import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { lazy, Suspense, useState } from 'react';
import { keys } from '../../data/keys.ts';
import { meQuery } from '../../data/queries.ts';
import { LANGUAGES, type Language, setLanguage } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { useWindowTitle } from '../../page/page.tsx';
import { useChange } from '../../page/use-change.ts';
import { isOwnDevice } from '../../session/own-device.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice, Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { setTheme, storedTheme, THEMES, type Theme } from '../../ui/theme.ts';
import { PasswordField } from '../start/password-field.tsx';
import { anonymous } from '../start/start-api.ts';
import { DeleteAccount } from './delete-account.tsx';
import { EditorSection } from './editor-section.tsx';
import { FoldersSection } from './folders-section.tsx';
import { Identities } from './identities.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import styles from './settings.module.css';
import { account } from './settings-api.ts';
import { Storage } from './storage.tsx';

/** Profile page: the account, and this browser's theme and language. */
export function ProfilePage() {
  const t = useTexts('settings');
  useWindowTitle(t('profile.title'));
  return (
    <>
      <h1>{t('profile.title')}</h1>
      <Profile />
      <Appearance />
      <EditorSection />
      <FoldersSection />
      <Password />
      <Passkeys />
      <SecondFactor />
      <Identities />
      <OfflineSection />
      <Storage />
      <DeleteAccount />
    </>
  );
}

function Profile() {
  const t = useTexts('settings');
  const { data: me } = useSuspenseQuery(meQuery);
  const saving = useChange(account.updateProfile, keys.me, t('saved'));
  return (
    <section className={styles.section}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const name = String(form.get('name')).trim();
          saving.mutate({ display_name: name === '' ? null : name, analytics_opt_out: form.has('objection') });
        }}
      >
        <Field label={t('profile.email')} value={me.email} readOnly />
        <Unconfirmed />
        <Field
          label={t('profile.name')}
          name="name"
          defaultValue={me.display_name ?? ''}
          maxLength={80}
          autoComplete="name"
        />
        <label className={styles.check}>
          <input type="checkbox" name="objection" defaultChecked={me.analytics_opt_out} /> {t('profile.objection')}
        </label>
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {t('save')}
        </Button>
      </form>
    </section>
  );
}

/** Offers to confirm an address that is not, where the server sends mails. */
function Unconfirmed() {
  const t = useTexts('settings');
  const { data } = useQuery({ queryKey: keys.signIn, queryFn: account.signIn });
  const sending = useChange(account.requestConfirmation, keys.signIn, t('profile.sentConfirmation'));
  if (data === undefined || data.email_confirmed_at !== null || !data.mail) return null;
  return (
    <Notice kind="plain">
      <p>{t('profile.unconfirmed')}</p>
      <Button aria-disabled={sending.isPending} onClick={() => sending.mutate(undefined)}>
        {t('profile.sendConfirmation')}
      </Button>
    </Notice>
  );
}

function Appearance() {
  const t = useTexts('settings');
  const [theme, choose] = useState(storedTheme);
  return (
    <section className={styles.section} aria-labelledby="appearance">
      <h2 id="appearance">{t('appearance.title')}</h2>
      <div className={styles.options}>
        <Choice
          label={t('appearance.theme')}
          value={theme}
          onChange={({ target }) => {
            setTheme(target.value as Theme);
            choose(target.value as Theme);
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {t(`appearance.${name}`)}
            </option>
          ))}
        </Choice>
        <Choice
          label={t('appearance.language')}
          hint={t('appearance.unreviewed')}
          value={i18next.language}
          onChange={({ target }) => {
            void setLanguage(target.value as Language);
            void account.updateProfile({ locale: target.value });
          }}
        >
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
    </section>
  );
}

function Password() {
  const t = useTexts('settings');
  const changing = useChange(
    ({ old, next }: { old: string | undefined; next: string }) => account.changePassword(old, next),
    keys.sessions,
    t('password.done'),
  );
  const { data } = useQuery({ queryKey: keys.signIn, queryFn: account.signIn });
  const { data: server } = useQuery({ queryKey: keys.bootstrap, queryFn: anonymous.bootstrap });
  if (data === undefined || server?.methods.includes('password') === false) return null;
  const hasPassword = data.methods.includes('password');
  return (
    <section className={styles.section} aria-labelledby="password">
      <h2 id="password">{t('password.title')}</h2>
      <p>{t('password.about')}</p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const typed = new FormData(form);
          const passwords = {
            old: hasPassword ? String(typed.get('old')) : undefined,
            next: String(typed.get('next')),
          };
          changing.mutate(passwords, { onSettled: () => form.reset() });
        }}
      >
        {hasPassword ? <PasswordField label={t('password.old')} name="old" /> : null}
        <PasswordField label={t('password.next')} name="next" isNew />
        <Button type="submit" aria-disabled={changing.isPending}>
          {t('password.change')}
        </Button>
      </form>
    </section>
  );
}

const KeptVaults = lazy(() =>
  importOrReload(() => import('./kept-vaults.tsx')).then((module) => ({ default: module.KeptVaults })),
);

/** Explains what works offline in this browser, and why the rest does not. */
function OfflineSection() {
  const t = useTexts('settings');
  // Browsers have workers only in secure contexts, and some private windows have none.
  const hasWorker = isSecureContext && 'serviceWorker' in navigator;
  return (
    <section className={styles.section} aria-labelledby="offline">
      <h2 id="offline">{t('offline.title')}</h2>
      <p>{t(isOwnDevice() ? (hasWorker ? 'offline.whole' : 'offline.noWorker') : 'offline.notOwn')}</p>
      {isOwnDevice() && typeof indexedDB !== 'undefined' ? (
        <Suspense>
          <KeptVaults />
        </Suspense>
      ) : null}
    </section>
  );
}
