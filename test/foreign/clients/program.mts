import { createClient } from './generated/client/index.ts';
import { createSubmission, getSubmission } from './generated/sdk.gen.ts';
import type { CreateSubmissionRequest } from './generated/types.gen.ts';

const { baseUrl, credential, enquiry } = JSON.parse(process.env.GIVEN ?? '') as {
  baseUrl: string;
  credential: string;
  enquiry: CreateSubmissionRequest;
};
const client = createClient({ baseUrl, auth: credential });
const created = await createSubmission({ client, body: enquiry, throwOnError: true });
const read = await getSubmission({
  client,
  path: { submission_id: created.data.submission_id },
  throwOnError: true,
});
const refused = await createSubmission({ client, body: { ...enquiry, funding_amount: 1 } });
console.log(
  JSON.stringify({
    created: created.data.submission_id,
    read: read.data.submission_id,
    refused: refused.response?.status,
    code: refused.error?.error.code,
  }),
);
