import { readFileSync } from 'node:fs';

/** One operation as the OpenAPI document has it, with what its page shows. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST';
  /** With the ids and references of the examples in it. */
  readonly target: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly answers: readonly { readonly status: string; readonly summary: string; readonly body: unknown }[];
}

interface Examples {
  readonly [name: string]: { readonly summary?: string; readonly value: unknown };
}
interface Content {
  readonly content?: { readonly 'application/json'?: { readonly examples?: Examples } };
}
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const DOCUMENT = new URL('../../openapi/v1.json', import.meta.url);

/** Of the examples of answers: a page that reads one finds what another has made. */
export const EXAMPLE = {
  submissionId: '01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40',
  externalReference: 'lead-2026-000417',
  documentId: '01937f31-0d52-7a18-8c66-91b4e07f2ad5',
};

/** Every operation of the public interface, in the order of the document. */
export function operations(): Operation[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    paths: Record<string, Partial<Record<'get' | 'post', Described>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      summary: described.summary,
      description: described.description ?? '',
      method: method === 'get' ? ('GET' as const) : ('POST' as const),
      path,
      target: targetOf(path, method === 'get'),
      body: examplesOf(described.requestBody ?? {})[0]?.value as object | undefined,
      answers: Object.entries(described.responses).flatMap(([status, response]) =>
        examplesOf(response).map(({ summary = '', value }) => ({ status, summary, body: value })),
      ),
    })),
  );
}

const examplesOf = ({ content }: Content) => Object.values(content?.['application/json']?.examples ?? {});

function targetOf(path: string, isRead: boolean): string {
  const filled = path.replace('{submission_id}', EXAMPLE.submissionId);
  return isRead && filled === path ? `${path}?external_reference=${EXAMPLE.externalReference}` : filled;
}
