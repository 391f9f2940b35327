import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../server/test/kit/content/any-character.ts';
import { testVault } from '../../../server/test/kit/content/test-vault.ts';
import { type AffixLanguage, affixKeys, mayBeForms } from '../src/words/affixes.ts';
import { fold } from '../src/words/fold.ts';
import { functionWordLanguages } from '../src/words/function-words.ts';
import { dictionaryForms } from '../src/words/korean-verbs.ts';
import { type Language, languageOf, languagesOf, stem } from '../src/words/languages.ts';
import { WordMatcher } from '../src/words/matcher.ts';
import { eachWord, foldedWord, maxWordLength, spelledWordsOf, wordsOf, writtenWord } from '../src/words.ts';
import { processorMs } from './processor.ts';

test('eachWord: words are runs of letters and digits of any script, with their marks', () => {
  assert.deepEqual(wordsOf("Don't stop_me, v1.2 – c'est l’été!"), [
    'don',
    't',
    'stop',
    'me',
    'v1',
    '2',
    'c',
    'est',
    'l',
    'ete',
  ]);
  assert.deepEqual(wordsOf('नमस्ते दुनिया'), ['नमस्ते', 'दुनिया']);
  assert.deepEqual(wordsOf('한국어 검색'), ['한국어', '검색']);
  assert.deepEqual(wordsOf('𝒜𝓑 🎉 x'), ['ab', '🎉', 'x']);
});

test('eachWord: emoji and names like C++, C# and .NET are words', () => {
  assert.deepEqual(wordsOf('C++ and C#, F#.'), ['c++', 'and', 'c#', 'f#']);
  assert.deepEqual(wordsOf('C++17 c#m abc++ a+b x#1'), ['c', '17', 'c', 'm', 'abc', 'a', 'b', 'x', '1']);
  assert.deepEqual(wordsOf('.NET asp.net .network (.net)'), ['.net', 'asp', 'net', 'network', '.net']);
  assert.deepEqual(wordsOf('👍🏽 ❤️ 👩‍💻🇫🇷🇯🇵 ©'), ['👍', '❤', '👩💻', '🇫🇷', '🇯🇵']);
  assert.deepEqual(wordsOf('検索🎉日本'), ['検索', '🎉', '日本']);
});

test('writtenWord keeps the accents of Latin words', () => {
  const written = (run: string) => writtenWord(run, foldedWord(run));
  assert.deepEqual(['Straße', 'É', 'E\u0301', 'abc', 'Ёлка', '検索'].map(written), [
    'straße',
    'é',
    'é',
    'abc',
    'елка',
    '検索',
  ]);
});

test('eachWord segments scripts without spaces by a dictionary', () => {
  assert.deepEqual(wordsOf('日本語の検索機能'), ['日本语', 'の', '検索', '机能']);
  assert.deepEqual(wordsOf('中文搜索'), ['中文', '搜索']);
  assert.deepEqual(wordsOf('สวัสดีครับ'), ['สวัสดี', 'ครับ']);
  assert.deepEqual(wordsOf('Obsidianの使い方'), ['obsidian', 'の', '使い方']);
});

test('fold ignores case, width and accents, but keeps different letters apart', () => {
  const pairs = {
    ÀÉÎõü: 'aeiou',
    ＡＢＣ１２: 'abc12',
    ｶﾞｷﾞ: 'ガギ',
    STRASSE: 'strasse',
    straße: 'strasse',
    Øre: 'ore',
    Łódź: 'lodz',
    İSTANBUL: 'istanbul',
    ΛΌΓΟΣ: 'λογοσ',
    λόγος: 'λογοσ',
    Ёлка: 'елка',
    'за\u0301мок': 'замок',
    Чай: 'чай',
    Їжак: 'їжак',
    ЎЗБЕК: 'ўзбек',
    がく: 'がく',
    שָׁלוֹם: 'שלום',
    مُحَمَّد: 'محمد',
    नमस्ते: 'नमस्ते',
    圖書館: '图书馆',
    '❤️': '❤',
  };
  for (const [written, folded] of Object.entries(pairs)) {
    assert.equal(fold(written), folded);
    assert.equal(fold(written.normalize('NFD')), folded, `${written} decomposed`);
  }
});

test('foldedWord is idempotent, and eachWord returns short words in order without overlap', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      let last = 0;
      eachWord(text, (word, start, end) => {
        assert.ok(start >= last && end > start && end <= text.length);
        assert.ok(word !== '' && word.isWellFormed() && word.length <= maxWordLength * 20);
        assert.equal(fold(word), word);
        last = end;
      });
    }),
    { numRuns: 500 },
  );
});

test('languagesOf reads a short note by what only one language has, and else as any of them', () => {
  const guess = (text: string) => {
    const words = spelledWordsOf(text);
    return languagesOf(
      words.map(({ word }) => word),
      words.map((own) => own.written),
    ).latin;
  };
  const clear = {
    pt: 'Configuração do router',
    es: 'Sincronización pendiente',
    de: 'Straße kehren',
    sv: 'Tvätta på lördag',
    it: 'Riparazione bicicletta',
    fr: 'Œufs et beurre',
    en: 'Call the dentist',
  };
  for (const [language, text] of Object.entries(clear)) assert.equal(guess(text), language, text);
  for (const text of ['Router', 'Pasta, pesto, parmesan', 'Rom hotel']) assert.equal(guess(text), 'latin', text);
});

test('languagesOf decides by common words for each alphabet; without a clear lead a long note is English', () => {
  const guess = (text: string) => {
    const words = spelledWordsOf(text);
    const [folded, written] = [words.map(({ word }) => word), words.map((own) => own.written)];
    return languagesOf(folded, written);
  };
  assert.deepEqual(guess('Der Hund und die Katze sind nicht im Haus, das ist auch für die Kinder mit'), {
    latin: 'de',
    cyrillic: 'ru',
    arabic: 'ar',
  });
  assert.equal(guess('Le chat est dans la maison avec les enfants, et vous êtes sur une table').latin, 'fr');
  assert.equal(guess('API key '.repeat(30)).latin, 'en');
  assert.equal(guess('Це мій їжак').cyrillic, 'none');
  assert.equal(guess('برای دوستان شام بپزم').arabic, 'fa');
  assert.equal(guess('نامه از اداره آب').arabic, 'fa');
  assert.equal(guess('إعدادات المزامنة في الحاسوب').arabic, 'ar');
  const languages = { latin: 'de', cyrillic: 'ru', arabic: 'ar' } as const;
  assert.deepEqual(
    ['haus', 'дом', '家', '12', '집', 'בית', 'بيت'].map((word) => languageOf(word, languages)),
    ['de', 'ru', 'none', 'none', 'ko', 'he', 'ar'],
  );
});

test('stem joins inflected forms; numbers and unknown languages are left alone', () => {
  const same = (language: Language, ...words: string[]) =>
    assert.equal(new Set(words.map((word) => stem(word, language))).size, 1, words.join(' '));
  same('en', 'sync', 'syncs', 'synced', 'syncing');
  same('ru', 'заметка', 'заметки', 'заметку', 'заметкой');
  same('de', 'einstellung', 'einstellungen');
  same('pt', 'configuração', 'configurações');
  same('es', 'sincronizar', 'sincronización');
  same('fr', 'répétition', 'répétitions');
  assert.equal(stem('notes', 'none'), 'notes');
  assert.equal(stem('v2s', 'en'), 'v2s');
});

test('affixKeys: words with other articles, prepositions and particles share a key', () => {
  const share = (language: AffixLanguage, ...words: string[]) => {
    const [first = [], ...others] = words.map((word) => affixKeys(fold(word), language));
    assert.ok(
      others.every((keys) => keys.some((key) => first.includes(key))),
      words.join(' '),
    );
  };
  share('ar', 'مزامنة', 'المزامنة', 'بالمزامنة', 'والمزامنة', 'للمزامنة');
  share('ar', 'دراجة', 'الدراجات');
  share('he', 'סנכרון', 'הסנכרון', 'לסנכרון', 'ובסנכרון');
  share('he', 'תמונה', 'התמונות', 'תמונות');
  share('ko', '백업', '백업을', '백업에서는', '백업하려면');
  share('fa', 'کتاب', 'کتاب‌ها', 'کتابها', 'کتاب‌هایمان', 'كتابم');
  share('fa', 'جلسه', 'جلسات', 'جلسه‌ها', 'جلسه‌مان');
  share('fa', 'دوست', 'دوستان', 'دوستم');
  assert.ok(!affixKeys('בית', 'he').some((key) => affixKeys('גן', 'he').includes(key)));
});

test('dictionaryForms: forms of a Korean verb share the form under which a dictionary has it', () => {
  const forms: Readonly<Record<string, string>> = {
    고치다: '고쳤다 고치는 고친 고친다 고치기 고쳐서 고치려고 고칩니다 고쳐',
    닦다: '닦았다 닦은 닦아요 닦습니다 닦을 닦고',
    담그다: '담갔다 담그는 담가서',
    모으다: '모았다 모으는 모아서',
    자르다: '잘랐다 자르는 잘라',
    굽다: '구웠다 굽기 구운 구우면 구워',
    듣다: '들었다 듣는 들으면 들은',
    짓다: '지었다 짓는 지은',
    만들다: '만들었다 만드는 만든 만듭니다',
    청소하다: '청소했다 청소하는 청소해 청소합니다',
    오다: '왔다 오는 온다',
    주다: '줬다 주는 주었다',
    되다: '됐다 되는 되어',
  };
  for (const [form, words] of Object.entries(forms)) {
    const [first = '', ...others] = words.split(' ');
    for (const word of [first, ...others]) assert.ok(dictionaryForms(word).includes(form), `${word}: ${form}`);
    const keys = affixKeys(first, 'ko');
    assert.ok(
      others.every((word) => mayBeForms(first, word) && affixKeys(word, 'ko').some((key) => keys.includes(key))),
    );
  }
  for (const word of ['학교', '사람', '기기가', '파일', 'abc', '2층', '다'])
    assert.deepEqual(dictionaryForms(word), [], word);
  assert.ok(!dictionaryForms('고치는').includes('모으다'));
});

test('functionWordLanguages returns the languages in which a word is a function word', () => {
  for (const word of ['the', 'und', 'como', 'для', 'の', '怎么', '어떻게', 'على', 'của'])
    assert.ok(functionWordLanguages(word).size > 0, word);
  assert.equal(functionWordLanguages('lantern').size, 0);
  assert.deepEqual([...functionWordLanguages('und')], ['de']);
  assert.ok(functionWordLanguages('là').has('vi') && !functionWordLanguages('lá').has('vi'));
});

test('eachWord reads 125,000 letters of any text in linear time', () => {
  for (const unit of ['a', 'ア', 'ก', '\u0301', 'é', '\ud83d', 'a\u0301', '漢 ', '…']) {
    const took = processorMs(() => wordsOf(unit.repeat(125_000)));
    assert.ok(took < 2000, JSON.stringify(unit));
  }
});

test('WordMatcher finds the same words as eachWord, in any text', () => {
  const pieces = fc.constantFrom(
    ...[
      '検索',
      '検索機能',
      'ノート',
      'ノ',
      'ート',
      'の',
      'デイリーノート',
      'ｶﾞｷﾞ',
      'か\u3099',
      '使い方',
      '日本',
      '日本語',
      '々',
    ],
    ...['Straße', 'STRASSE', 'note', 'Note', 'n', 'Ｎote', 'и\u0306од', 'йод', 'ёлка', 'e\u0301te', 'ﬁsh', '𝒜𝓑', 'v2'],
    ...['สวัสดีครับ', 'ครับ', '한국어', ' ', ' ', '、', '\n', '-', '🎉', '\ud800', '"', '\u0301', '中文搜索', 'İx'],
  );
  const all = (text: string) => {
    const words: [string, number, number][] = [];
    eachWord(text, (...word) => words.push(word));
    return words;
  };
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(pieces, { maxLength: 6 }), (parts, asked) => {
      const text = parts.join('');
      const wanted = new Set(wordsOf(asked.join(' ')));
      const found: [string, number, number][] = [];
      new WordMatcher(wanted).each(text, (...word) => found.push(word));
      assert.deepEqual(
        found,
        all(text).filter(([word]) => wanted.has(word)),
      );
    }),
    { numRuns: 750 },
  );
});

test('eachWord finds the same words when it reads with pauses', () => {
  for (const text of [...japanese().slice(0, 20), 'Read at once, or not: e\u0301te\u0301 𝒜𝓑 検索機能。'.repeat(30)]) {
    for (const step of [1, 7, 500]) {
      const words: [string, number, number][] = [];
      for (let at = 0; at < text.length; ) {
        at = eachWord(text, (...word) => words.push(word), at, text.length, Math.min(text.length, at + step));
      }
      const atOnce: [string, number, number][] = [];
      eachWord(text, (...word) => atOnce.push(word));
      assert.deepEqual(words, atOnce);
    }
  }
});

test('WordMatcher segments the Japanese notes like the dictionary', () => {
  for (const text of japanese()) {
    const words: [string, number, number][] = [];
    eachWord(text, (...word) => words.push(word));
    const wanted = new Set(words.filter((_, at) => at % 7 === 0).map(([word]) => word));
    const found: [string, number, number][] = [];
    new WordMatcher(wanted).each(text, (...word) => found.push(word));
    assert.deepEqual(
      found,
      words.filter(([word]) => wanted.has(word)),
    );
  }
});

function japanese(): string[] {
  return [...testVault('ja').notes.values()];
}
