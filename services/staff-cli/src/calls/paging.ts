import { clone, create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { listOf, messagesIn } from '../output/view.ts';

export const MAX_ROWS = 10_000;
/** Services may return short or even empty pages while they search on. */
const MAX_PAGES = 1_000;

/** Returns whether a request can ask for a page and its answer has a next page token. */
export const isPaged = (input: DescMessage, output: DescMessage): boolean =>
  input.fields.some(({ name }) => name === 'page_token') &&
  output.fields.some(({ name }) => name === 'next_page_token') &&
  listOf(output) !== undefined;

/** Returns the token of the page after an answer, empty on the last one. */
export function nextPageToken(schema: DescMessage, answer: Message): string {
  const field = schema.fields.find(({ name }) => name === 'next_page_token');
  const token = field?.fieldKind === 'scalar' ? reflect(schema, answer).get(field) : '';
  return typeof token === 'string' ? token : '';
}

/**
 * Returns all pages as one answer, up to 10,000 rows from 1,000 pages. Its next page token is that of the first page
 * left out.
 */
export async function allPages(
  input: DescMessage,
  output: DescMessage,
  request: Message,
  ask: (request: Message) => Promise<Message>,
): Promise<Message> {
  const list = listOf(output);
  const rows: Message[] = [];
  let [next, token] = [request, ''];
  for (let page = 0; page < MAX_PAGES && list; page += 1) {
    const answer = await ask(next);
    rows.push(...messagesIn(output, answer, list.name));
    token = nextPageToken(output, answer);
    if (token === '' || rows.length >= MAX_ROWS) break;
    next = withField(input, next, 'page_token', token);
  }
  const whole = withField(output, create(output), 'next_page_token', token);
  const reflected = reflect(output, whole);
  if (list) for (const row of rows) reflected.get(list).add(reflect(list.message, row));
  return whole;
}

function withField(schema: DescMessage, message: Message, name: string, value: string): Message {
  const reflected = reflect(schema, clone(schema, message));
  const field = schema.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind === 'scalar') reflected.set(field, value);
  return reflected.message;
}
