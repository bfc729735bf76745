import { domainToASCII } from 'node:url';
import { foldedText } from './folded-text.ts';

/** By far the most: nothing to fold, unwrap or drop. */
const PLAIN = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@(?:[a-z0-9-]+\.)*[a-z0-9]+$/;
const BRACKETED = /[<([{‹«⟨〈《]([^<>()[\]{}‹›«»⟨⟩〈〉《》]*@[^<>()[\]{}‹›«»⟨⟩〈〉《》]*)[>)\]}›»⟩〉》]/u;
const COMMENT = /\([^()@]*\)/g;
const QUOTED = /(?:^|[\s<>()[\]{}])["“”„]((?:[^"“”„\\]|\\.)+)["“”„]$/u;
/** What no address begins with, also the scheme of a link. */
const BEFORE = /^(?:[\s'`"“”„.,:;\\]|(?:mailto|smtp|e-?mail|https?):\/*)+/u;
const OUTER_END = /[\s'`"“”„.]+$/u;
const BRACKETS = /^.*[<>()[\]{}‹›«»⟨⟩〈〉《》]/su;
const AFTER = /[<>()[\]{}‹›«»⟨⟩〈〉《》:;,\\"“”„|/?'].*$/su;
const AROUND_DOTS = /\s*\.\s*/gu;
/** A name in words, its last white space, and the token before the `@`. */
const NAMED = /^(.*)\s(\S+)$/su;
const WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.'_+-]*$/u;
/** A domain with a dot, and words after it. */
const FOLLOWED = /^\s*([^\s.]+(?:\.[^\s.]+)+)\s+(?=[^\s.])/u;
const COMMA_FOR_DOT = /^\s*[\p{L}\p{N}-]+(?:,[\p{L}\p{N}-]+)+(?=\s|$)/u;

/**
 * Returns the address that a text names, in one form; undefined if it names none, or several. More tolerant than a
 * check of addresses: display names, brackets, `mailto:`, comments, quotes, white space and outer punctuation are
 * dropped. Different local parts stay different, with their dots, tags and punctuation: they may be different people, and
 * a missed duplicate is better than two customers taken for one.
 */
export function emailKey(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (PLAIN.test(lower) && !lower.includes('xn--')) return lower;
  const folded = spelled(foldedText(text).toLowerCase().normalize('NFKC'));
  const address = BRACKETED.exec(folded)?.[1] ?? folded.replace(COMMENT, '');
  const [before = '', after = '', ...more] = address.split('@');
  const [local, domain] = [localPart(before), domainOf(after)];
  return more.length === 0 && local !== '' && domain !== '' ? `${local}@${domain}` : undefined;
}

/** Replaces what word processors and links write instead of plain characters. */
function spelled(text: string): string {
  const typed = text
    .replace(/[’‘ʼ]/gu, "'")
    .replace(/\p{Pd}/gu, '-')
    .replace(/[。．｡]/gu, '.');
  return (typed.includes('@') ? typed : typed.replace('%40', '@')).replaceAll('%20', ' ');
}

function localPart(text: string): string {
  const trimmed = text.replace(/^[\s'`]+|[\s'`]+$/gu, '');
  const quoted = QUOTED.exec(trimmed)?.[1]?.replace(/\\(.)/g, '$1');
  const bare =
    quoted ?? withoutName(trimmed.replace(AROUND_DOTS, '.').replace(BRACKETS, '').replace(BEFORE, ''));
  const joined = bare
    .replace(/\s+/gu, '')
    .replace(BRACKETS, '')
    .replace(/\.{2,}/g, '.');
  return joined.replace(BEFORE, '').replace(OUTER_END, '');
}

/**
 * Returns the last token, without a display name. One word, or single letters, can be part of the address: of
 * `jo smith@` and `mary smith@`, neither is `smith@`.
 */
function withoutName(text: string): string {
  const [, name = '', token = ''] = NAMED.exec(text) ?? [];
  const words = name.split(/\s+/u).filter((word) => word !== '');
  const isSplit =
    words.every((word) => WORD.test(word)) && words.filter((word) => word.length > 1).length < 2;
  const isName = !isSplit || words.some((word) => word.length > 1 && token.split(/[._-]/).includes(word));
  return token !== '' && isName ? token : text;
}

function domainOf(text: string): string {
  const dotted = text.replace(COMMA_FOR_DOT, (commas) => commas.replaceAll(',', '.'));
  const named = FOLLOWED.exec(dotted)?.[1] ?? dotted;
  const domain = withoutOuterDots(named.replace(AFTER, '')).replace(/[^\p{L}\p{N}\p{M}]+$/u, '');
  // An empty text stands for a domain that no name can have.
  return (/[^ -~]|xn--/.test(domain) && domainToASCII(domain)) || domain;
}

const withoutOuterDots = (text: string): string =>
  text
    .replace(/\s+/gu, '')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '');
