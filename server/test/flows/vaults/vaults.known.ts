import { LANGUAGES } from '../../kit/content/test-vault.ts';

/** Facts about a vault that were determined by hand. */
export interface KnownVault {
  readonly name: string;
  readonly totals: {
    readonly notes: number;
    readonly links: number;
    readonly dangling: number;
    readonly attachments: number;
  };
  /** Notes with degraded frontmatter. */
  readonly degraded: readonly string[];
  /**
   * Targets that exist neither as a note nor as another file, once for each link. For a vault that came without its
   * other files, only targets that do not name a file.
   */
  readonly lost: readonly string[];
  /** Links as written in a note, and the note that a click on each opens; null for none. */
  readonly checked: readonly Checked[];
}

type Checked = readonly [
  source: string,
  target: string,
  alias: string | null,
  anchor: string | null,
  opens: string | null,
];

/** A small vault with one example of everything. */
export const fixture: KnownVault & { readonly files: Readonly<Record<string, string>> } = {
  name: 'Fixture',
  files: {
    'Home.md':
      '# Home\n[[Projects]] [[projects/plan|the plan]] [[Plan#Next]] ![[Café]]\n[[#Home]] [[Nowhere]] ![[map.png]]\n',
    'Projects/Plan.md':
      '---\ndescription: What is next\naliases: [Roadmap, "Next steps"]\n---\n[[next STEPS]] [up](../Home.md)\n## Next\n',
    'Projects/Projects.md':
      '\ufeff---\r\ntype: index\r\n---\r\n[[Plan]]\r\n[a](Plan.md#Next) [b](<Sub folder/Deep note.md>)\r\n',
    'Projects/Sub folder/Deep note.md': '[one](../Plan.md) [[./Plan]] [[Roadmap]] [[Projects/Plan.md]]\n',
    'Archive/Plan.md': '[[Plan]] [[Projects/Plan]] [root](Home.md)\n',
    'Archive/Old/Plan.md': 'Only its name counts.\n',
    'Cafe\u0301.md': '[[café|itself]] [p](Projects/Sub%20folder/Deep%20note.md#%C3%A9)\n',
    '日本/ノート.md': '[[ノート]] [[日本/ノート#見出し|別名]] [[Home]]\n',
    'Русский/Заметка.md': '---\ntype: "заметка"\n---\n[[заметка]] [[НОТЫ]]\n',
    'Русский/Ноты.md': '`[[code]]` %%[[comment]]%%\n',
    'Broken.md': '---\ntype: [\n---\n[[Home]]\n',
    'Empty.md': '',
    'map.png': 'no image',
    'Projects/Sub folder/Ünïcode (1).pdf': '%PDF-1.4 nothing more',
  },
  totals: { notes: 12, links: 27, dangling: 2, attachments: 2 },
  degraded: ['Broken.md'],
  lost: ['Nowhere', './Plan'],
  checked: [
    ['Home.md', 'Projects', null, null, 'Projects/Projects.md'],
    ['Home.md', 'projects/plan', 'the plan', null, 'Projects/Plan.md'],
    ['Home.md', 'Plan', null, 'Next', 'Archive/Plan.md'],
    ['Home.md', 'Café', null, null, 'Café.md'],
    ['Home.md', '', null, 'Home', 'Home.md'],
    ['Home.md', 'Nowhere', null, null, null],
    ['Home.md', 'map.png', null, null, null],
    ['Projects/Plan.md', 'next STEPS', null, null, 'Projects/Plan.md'],
    ['Projects/Plan.md', '../Home.md', 'up', null, 'Home.md'],
    ['Projects/Projects.md', 'Plan', null, null, 'Projects/Plan.md'],
    ['Projects/Projects.md', 'Plan.md', 'a', 'Next', 'Projects/Plan.md'],
    ['Projects/Projects.md', 'Sub folder/Deep note.md', 'b', null, 'Projects/Sub folder/Deep note.md'],
    ['Projects/Sub folder/Deep note.md', '../Plan.md', 'one', null, 'Projects/Plan.md'],
    ['Projects/Sub folder/Deep note.md', './Plan', null, null, null],
    ['Projects/Sub folder/Deep note.md', 'Roadmap', null, null, 'Projects/Plan.md'],
    ['Projects/Sub folder/Deep note.md', 'Projects/Plan.md', null, null, 'Projects/Plan.md'],
    ['Archive/Plan.md', 'Plan', null, null, 'Archive/Plan.md'],
    ['Archive/Plan.md', 'Projects/Plan', null, null, 'Projects/Plan.md'],
    ['Archive/Plan.md', 'Home.md', 'root', null, 'Home.md'],
    ['Café.md', 'café', 'itself', null, 'Café.md'],
    ['Café.md', 'Projects/Sub folder/Deep note.md', 'p', 'é', 'Projects/Sub folder/Deep note.md'],
    ['日本/ノート.md', '日本/ノート', '別名', '見出し', '日本/ノート.md'],
    ['Русский/Заметка.md', 'заметка', null, null, 'Русский/Заметка.md'],
    ['Русский/Заметка.md', 'НОТЫ', null, null, 'Русский/Ноты.md'],
  ],
};

/** The test vault: notes in nine languages, each with a diary. */
export const household: KnownVault = {
  name: 'Household',
  totals: { notes: 472, links: 1448, dangling: 74, attachments: 9 },
  degraded: LANGUAGES.flatMap((language) =>
    ['06', '07', '08', '14', '15', '16'].map((day) => `${language}/Diary/2026-01-${day}.md`),
  ),
  lost: [
    ...Array.from({ length: 36 }, () => ['A page that nobody wrote', './gone for good.md']).flat(),
    // A day of the diary quotes the note that contains this link.
    ...['Nowhere at all', 'Nowhere at all'],
  ],
  checked: [
    ['en/Home.md', 'Garden', null, null, 'en/Garden/Garden.md'],
    ['en/Garden/Garden.md', 'Compost', null, null, 'en/Garden/Compost.md'],
    ['fr/Jardin/Jardin.md', 'Compost', null, null, 'fr/Jardin/Compost.md'],
    ['es/Huerto/Huerto.md', 'Compost', null, null, 'es/Huerto/Compost.md'],
    ['es/Huerto/Huerto.md', 'Tomates', null, null, 'es/Huerto/Tomates.md'],
    ['en/Garden/Garden.md', 'Beans', 'beans', null, 'en/Garden/Beans.md'],
    ['en/Garden/Shed.md', 'Tools', null, null, 'en/Garden/Tools.md'],
    ['en/Garden/Shed.md', 'Rain barrel', 'barrel', 'Lid', 'en/Garden/Rain barrel.md'],
    ['en/Garden/Tools.md', 'Bicycle/Tools', null, null, 'en/Bicycle/Tools.md'],
    ['en/Bicycle/Tools.md', '../Workshop/Tools.md', 'the workshop', null, 'en/Workshop/Tools.md'],
    ['en/Links of every kind.md', 'Love apples', null, null, 'en/Garden/Tomatoes.md'],
    ['en/Links of every kind.md', '', null, 'By markdown', 'en/Links of every kind.md'],
    ['en/Links of every kind.md', 'Garden/Crop rotation.md', 'percent', null, 'en/Garden/Crop rotation.md'],
    ['en/Links of every kind.md', 'Garden/Compost.md', 'heap', null, 'en/Garden/Compost.md'],
    ['en/Links of every kind.md', 'Nowhere at all', null, null, null],
    ['ru/Сад/Помидоры.md', 'Полив', null, 'Утром', 'ru/Сад/Полив.md'],
    ['ru/Поездки/Поездки.md', 'Дневник/Байкал.md', 'Байкал', null, 'ru/Поездки/Дневник/Байкал.md'],
    ['ja/庭/トマト.md', '水やり', null, '朝に', 'ja/庭/水やり.md'],
    ['ja/旅/日記/京都.md', '夜行列車', '夜の列車', null, 'ja/旅/夜行列車.md'],
    ['zh/首页.md', '菜园', null, null, 'zh/菜园/菜园.md'],
    ['ko/처음.md', '부엌', null, null, 'ko/부엌/부엌.md'],
    ['ar/البداية.md', 'المطبخ', null, null, 'ar/المطبخ/المطبخ.md'],
  ],
};

const EXAMPLES = ['Example', 'Example', 'Example', 'Example', 'Example.md', 'Example.md'];

/** The documentation of a note application in three languages, and its sandbox. */
export const realVaults: readonly KnownVault[] = [
  {
    name: 'en',
    totals: { notes: 173, links: 1811, dangling: 8, attachments: 130 },
    degraded: [],
    lost: [...EXAMPLES, 'bases-map-places.png', 'obsidian-cli.mp4'],
    checked: [
      ['Bases/Bases syntax.md', 'formulas', null, null, 'Bases/Formulas.md'],
      ['User interface/Appearance.md', 'themes', 'custom themes', null, 'Extending Obsidian/Themes.md'],
      ['Getting started/Glossary.md', '', 'notes', 'note', 'Getting started/Glossary.md'],
      ['Editing and formatting/Callouts.md', 'Credits', null, '^lucide', 'Obsidian/Credits.md'],
      ['Editing and formatting/Properties.md', 'Plugins/Templates', 'Templates', null, 'Plugins/Templates.md'],
      [
        'Obsidian Sync/Introduction to Obsidian Sync.md',
        'Security and privacy',
        null,
        null,
        'Obsidian Sync/Security and privacy.md',
      ],
      [
        'Obsidian Web Clipper/Introduction to Obsidian Web Clipper.md',
        'Obsidian Web Clipper/Templates',
        'Templates',
        null,
        'Obsidian Web Clipper/Templates.md',
      ],
      [
        'Getting started/Mobile app.md',
        'Sidebar',
        'Opening sidebars on mobile',
        'Open hidden sidebars#Mobile and smaller tablets',
        'User interface/Sidebar.md',
      ],
      ['Linking notes and files/Internal links.md', 'Example.md', 'Section name', 'Details', null],
    ],
  },
  {
    name: 'ja',
    totals: { notes: 173, links: 1808, dangling: 259, attachments: 0 },
    degraded: [],
    lost: [...EXAMPLES, 'Airtable'],
    checked: [
      ['プラグイン/コアプラグイン.md', 'ワークスペース', null, null, 'プラグイン/ワークスペース.md'],
      [
        'Obsidian Publish/サイトの管理.md',
        'Obsidian Publish/セキュリティとプライバシー',
        'パスワードを設定',
        'サイトパスワードの追加',
        'Obsidian Publish/セキュリティとプライバシー.md',
      ],
      [
        'Obsidian Web Clipper/インタープリター.md',
        'ウェブページの解釈',
        'モデル',
        'モデル',
        'Obsidian Web Clipper/インタープリター.md',
      ],
      ['はじめに/ノートのインポート.md', 'Airtable', null, null, null],
    ],
  },
  {
    name: 'ru',
    totals: { notes: 173, links: 1814, dangling: 266, attachments: 0 },
    degraded: [],
    lost: [
      ...EXAMPLES,
      'Airtable',
      'Plugins/Создатель уникальных заметок',
      'Панель сносок',
      'Панель сносок',
      'Представления и режимы редактирования',
      'Представления и режимы редактирования',
      'Сочетания клавиш',
    ],
    checked: [
      [
        'Obsidian Sync/Планы и лимиты хранилища.md',
        'вложения',
        null,
        null,
        'Редактирование и форматирование/Вложения.md',
      ],
      ['Плагины/Ежедневные заметки.md', 'Шаблоны', 'шаблон', null, 'Плагины/Шаблоны.md'],
      [
        'Obsidian Web Clipper/Интерпретатор.md',
        'Интерпретация веб-страниц',
        'модели',
        'Модели',
        'Obsidian Web Clipper/Интерпретатор.md',
      ],
      [
        'Obsidian Publish/Введение в Obsidian Publish.md',
        'Безопасность и конфиденциальность',
        null,
        null,
        'Obsidian Publish/Безопасность и конфиденциальность.md',
      ],
    ],
  },
  {
    name: 'Sandbox',
    totals: { notes: 31, links: 54, dangling: 0, attachments: 0 },
    degraded: [],
    lost: [],
    checked: [
      ['Formatting/Links.md', 'Format your notes.md', 'Format your notes', null, 'Formatting/Format your notes.md'],
      ['Formatting/Links.md', 'Format your notes', 'Format your notes', null, 'Formatting/Format your notes.md'],
      ['Formatting/Diagram.md', 'Format your notes', 'second option', '^376b9d', 'Formatting/Format your notes.md'],
      [
        'Vault is just a local folder.md',
        '',
        'with great power comes great responsibility',
        '^0f681f',
        'Vault is just a local folder.md',
      ],
    ],
  },
];
