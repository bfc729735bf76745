import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CURL, itWith, type Program, PYTHON_REQUESTS } from '@supplier/lib/testing/programs';
import { EXAMPLE, type Operation, operations } from '../../../docs/suppliers/.vitepress/operations.ts';
import {
  CREDENTIAL,
  type Language,
  SANDBOX_URL,
  snippetsOf,
} from '../../../docs/suppliers/.vitepress/snippets.ts';
import { delivery, enquiry, newReference } from '../../harness/enquiries.ts';
import { readStack } from '../../harness/stack.ts';
import { created, createdBasic, type SupplierApi, supplier } from '../../harness/suppliers.ts';
import { put, requestSubmissionUpload } from '../../harness/uploads.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Interpreter {
  readonly command: string;
  readonly needs: readonly Program[];
  readonly extension: string;
}
const INTERPRETERS: Readonly<Record<Language, Interpreter>> = {
  curl: { command: 'sh', needs: [CURL], extension: 'sh' },
  JavaScript: { command: 'node', needs: [], extension: 'mjs' },
  Python: { command: PYTHON_REQUESTS.command, needs: [PYTHON_REQUESTS], extension: 'py' },
  PHP: {
    command: 'php',
    needs: [
      {
        command: 'php',
        proof: ['-r', 'exit((int) !extension_loaded("curl"));'],
        debianPackage: 'php-cli php-curl',
      },
    ],
    extension: 'php',
  },
};

/** Identifies a successful response that is not a status object. */
const ANSWERED: Readonly<Record<string, RegExp>> = {
  createUploadUrl: /upload_url/,
  finalizeUpload: /scan_status/,
};

/** Returns the supplier whose basic submissions await a promotion, if the operation is a promotion. */
const supplierOf = (id: string) => supplier(id === 'promoteSubmission' ? 'promoting' : 'alpha');

/** Creates the resources that an operation's example needs, and returns their ids by the example's placeholder. */
async function prepared({ id, body }: Operation, api: SupplierApi): Promise<Record<string, string>> {
  const reference = newReference();
  const key = (body as { operation_idempotency_key?: string } | undefined)?.operation_idempotency_key;
  const keys = key === undefined ? {} : { [key]: randomUUID() };
  switch (id) {
    case 'promoteSubmission':
    case 'correctContact': {
      const { submission_id } = await createdBasic(api, delivery());
      return { ...keys, [EXAMPLE.submissionId]: submission_id };
    }
    case 'getSubmission':
    case 'getSubmissionByReference': {
      const { submission_id } = await created(api, enquiry({ external_reference: reference }));
      return { [EXAMPLE.submissionId]: submission_id, [EXAMPLE.externalReference]: reference };
    }
    case 'finalizeUpload': {
      const requestUpload = await requestSubmissionUpload(api);
      await put(requestUpload);
      return {
        [EXAMPLE.documentId]: requestUpload.documentId,
        [EXAMPLE.externalReference]: requestUpload.reference,
      };
    }
    default:
      return { [EXAMPLE.externalReference]: reference };
  }
}

describe.each(operations())('the programs on the page $id', (operation) => {
  for (const { language, program } of snippetsOf(operation)) {
    const { command, needs, extension } = INTERPRETERS[language];
    itWith(...needs)(`run as shown, except for the address and the credential: ${language}`, async () => {
      const api = supplierOf(operation.id);
      const changes = {
        [SANDBOX_URL]: readStack().gateway,
        [CREDENTIAL]: api.credential,
        ...(await prepared(operation, api)),
      };
      const text = Object.entries(changes).reduce((all, [from, to]) => all.replaceAll(from, to), program);
      const file = join(folder, `${operation.id}.${extension}`);
      writeFileSync(file, text);
      const { stdout } = await run(command, [file]);
      expect(stdout).not.toMatch(/"?error"?:/);
      expect(stdout).toMatch(ANSWERED[operation.id] ?? /submission_id/);
    });
  }
});
