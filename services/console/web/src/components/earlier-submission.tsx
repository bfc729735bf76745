import { visible } from '@supplier/lib/text/visible';
import { SubmissionLink } from './mono.tsx';
import { SupplierName } from './supplier-name.tsx';

/** The earlier submission that one duplicates. An older service states only its id. */
export const EarlierSubmission = ({
  of: { duplicateOf, duplicateAccountId, duplicateReference },
}: {
  readonly of: {
    readonly duplicateOf: string;
    readonly duplicateAccountId: string;
    readonly duplicateReference: string;
  };
}) => (
  <>
    <SubmissionLink submissionId={duplicateOf}>{visible(duplicateReference) || duplicateOf}</SubmissionLink>
    {duplicateAccountId === '' ? null : (
      <>
        {' from '}
        <SupplierName accountId={duplicateAccountId} isLink={false} />
      </>
    )}
  </>
);
