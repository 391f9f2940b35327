import type { NewPublicLink, PublicLink, PublicLinkMade } from '@notevault/protocol/public-links.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Choice, Field } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { QrCode } from '../../ui/controls/qr-code.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { linksQuery, publicLinks } from './links-api.ts';

import styles from './sharing.module.css';

/** The note or folder that new links are for. */
export type LinkTarget =
  | { readonly kind: 'note'; readonly id: string; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string; readonly name: string };

export interface LinksDialogProps {
  readonly vaultId: string;
  /** Null: the dialog lists all links of the vault and makes none. */
  readonly target: LinkTarget | null;
  readonly close: () => void;
}

/** Makes a public link, and lists and ends those of its note or folder, or of the whole vault. */
export function LinksDialog({ vaultId, target, close }: LinksDialogProps) {
  const t = useTexts('sharing');
  const { data } = useSuspenseQuery(linksQuery(vaultId));
  const [made, setMade] = useState<PublicLinkMade | null>(null);
  const links = target === null ? data : data.filter((link) => isOf(link, target));
  return (
    <Dialog title={target === null ? t('links.titleAll') : t('links.title', { name: target.name })} close={close}>
      {target === null ? (
        <p className={styles.about}>{t('links.aboutAll')}</p>
      ) : (
        <>
          <p className={styles.about}>{t(target.kind === 'note' ? 'links.aboutNote' : 'links.aboutFolder')}</p>
          <NewLink vaultId={vaultId} target={target} made={made} setMade={setMade} />
        </>
      )}
      {links.length > 0 ? (
        <ul className={styles.people} aria-label={t('links.list')}>
          {links.map((link) => (
            <LinkRow
              key={link.id}
              vaultId={vaultId}
              link={link}
              isNamed={target === null}
              onEnd={() => setMade((shown) => (shown?.link.id === link.id ? null : shown))}
            />
          ))}
        </ul>
      ) : target === null ? (
        <p>{t('links.none')}</p>
      ) : null}
    </Dialog>
  );
}

function isOf({ kind, note_id, path }: PublicLink, target: LinkTarget): boolean {
  return target.kind === 'note' ? note_id === target.id : kind === 'folder' && path === target.path;
}

const DAY_SECONDS = 24 * 60 * 60;
/** The lifetimes to choose from, in days; 0 for none. */
const LIFETIMES = [1, 7, 30, 365, 0] as const;

interface NewLinkProps {
  readonly vaultId: string;
  readonly target: LinkTarget;
  /** The link that was made last, whose address is shown. */
  readonly made: PublicLinkMade | null;
  readonly setMade: (made: PublicLinkMade) => void;
}

function NewLink({ vaultId, target, made, setMade }: NewLinkProps) {
  const t = useTexts('sharing');
  const making = useChange((body: NewPublicLink) => publicLinks.make(vaultId, body), keys.publicLinks(vaultId));
  return (
    <>
      <form
        className={styles.newLink}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          making.mutate(bodyOf(target, new FormData(form)), {
            onSuccess: (answer) => {
              setMade(answer);
              form.reset();
            },
          });
        }}
      >
        <Choice label={t('links.expires')} name="days" defaultValue={30}>
          {LIFETIMES.map((days) => (
            <option key={days} value={days}>
              {days === 0 ? t('links.never') : t('links.days', { count: days })}
            </option>
          ))}
        </Choice>
        <Field
          label={t('links.password')}
          hint={t('links.passwordHint')}
          name="password"
          type="password"
          maxLength={64}
          autoComplete="new-password"
        />
        <Button type="submit" look="primary" aria-disabled={making.isPending}>
          {t('links.make')}
        </Button>
      </form>
      {made === null ? null : (
        <Notice kind="ok">
          <p>{t('links.once')}</p>
          <div className={styles.link}>
            <code data-testid="public-link">{made.url}</code>
            <CopyButton text={made.url} label={t('copyLink')} />
          </div>
          <QrCode text={made.url} label={t('qr')} />
        </Notice>
      )}
    </>
  );
}

function bodyOf(target: LinkTarget, form: FormData): NewPublicLink {
  const days = Number(form.get('days'));
  const password = String(form.get('password'));
  return {
    ...(target.kind === 'note' ? { note_id: target.id } : { folder: target.path }),
    ...(days === 0 ? {} : { expires_in: days * DAY_SECONDS }),
    ...(password === '' ? {} : { password }),
  };
}

interface LinkRowProps {
  readonly vaultId: string;
  readonly link: PublicLink;
  /** Whether the row names the note or folder. */
  readonly isNamed: boolean;
  readonly onEnd: () => void;
}

function LinkRow({ vaultId, link, isNamed, onEnd }: LinkRowProps) {
  const t = useTexts('sharing');
  const language = useLanguage();
  const end = () => publicLinks.end(vaultId, link.id).then(onEnd);
  const ending = useChange(end, keys.publicLinks(vaultId), t('links.ended'));
  const { kind, path, has_password, created_at, expires_at, last_used_at } = link;
  const date = (time: string) => new Date(time).toLocaleDateString(language, { dateStyle: 'medium' });
  const time = (used: string) => new Date(used).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  const made = t('links.madeOn', { date: date(created_at) });
  const name = isNamed ? (path ?? t('links.gone')) : made;
  const facts = [
    ...(isNamed ? [made] : []),
    last_used_at === null ? t('links.unused') : t('links.used', { time: time(last_used_at) }),
    ...(expires_at === null ? [] : [t('links.until', { date: date(expires_at) })]),
    ...(has_password ? [t('links.withPassword')] : []),
  ];
  return (
    <li className={styles.person}>
      <span className={styles.mark}>
        <Icon name={kind === 'folder' ? 'folder' : 'note'} />
      </span>
      <span className={styles.who}>
        <span className={isNamed ? undefined : styles.made} dir="auto">
          {name}
        </span>
        <small className={styles.facts}>{facts.join(' · ')}</small>
      </span>
      <Button aria-label={t('links.endOf', { name })} onClick={() => ending.mutate(undefined)}>
        {t('links.end')}
      </Button>
    </li>
  );
}
