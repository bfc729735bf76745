import { domainToASCII } from 'node:url';
import { foldedText } from './folded-text.ts';

/** By far the most: nothing to fold, unwrap or drop. */
const PLAIN = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@(?:[a-z0-9-]+\.)*[a-z0-9]+$/;
const BRACKETED = /[<([{‹«⟨〈《]([^<>()[\]{}‹›«»⟨⟩〈〉《》]*@[^<>()[\]{}‹›«»⟨⟩〈〉《》]*)[>)\]}›»⟩〉》]/u;
const COMMENT = /\([^()@]*\)/g;
const QUOTED = /["“”„]((?:[^"“”„\\]|\\.)+)["“”„]$/u;
/** What stands before the local part or after the domain: no address has these unquoted. */
const BEFORE = /^.*[<>()[\]{}‹›«»⟨⟩〈〉《》:;,\\"“”„|]/su;
const AFTER = /[<>()[\]{}‹›«»⟨⟩〈〉《》:;,\\"“”„|/?'].*$/su;
const OUTER_QUOTES = /^[\s'`]+|[\s'`]+$/g;

/**
 * Returns the address that a text names, in one form; undefined if it names none, or several. More tolerant than a
 * check of addresses: display names, brackets, `mailto:`, comments, quotes, white space and outer punctuation are
 * dropped. Different local parts stay different, with their dots and tags: they may be different people.
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
  const trimmed = text.replace(OUTER_QUOTES, '');
  const quoted = QUOTED.exec(trimmed)?.[1]?.replace(/\\(.)/g, '$1');
  return withoutOuterDots((quoted ?? trimmed.replace(BEFORE, '')).replace(OUTER_QUOTES, ''));
}

function domainOf(text: string): string {
  const domain = withoutOuterDots(text.replace(AFTER, '')).replace(/[^\p{L}\p{N}\p{M}]+$/u, '');
  // An empty text stands for a domain that no name can have.
  return (/[^ -~]|xn--/.test(domain) && domainToASCII(domain)) || domain;
}

const withoutOuterDots = (text: string): string =>
  text
    .replace(/\s+/gu, '')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '');
