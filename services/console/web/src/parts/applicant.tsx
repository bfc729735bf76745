import { Button } from '@blueprintjs/core';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import { MaskedContactSchema, ReadEnquiryResponseSchema } from '@supplier/proto/submission/v1/read_enquiry';
import { ApplicationSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useState } from 'react';
import { mayCall, submissions } from '../calls.ts';
import { useSession } from '../session.ts';
import { useBriefly } from './briefly.ts';
import { MessageFields } from './message-fields.tsx';
import { isPurpose, Purpose } from './purpose.tsx';
import { ShownBriefly } from './shown-briefly.tsx';

interface Shown {
  readonly schema: DescMessage;
  readonly message: Message | undefined;
}

interface ApplicantProps {
  readonly submissionId: string;
  /** Whether there is an Application, which contains the applicant's details at the time it was created. */
  readonly hasApplication: boolean;
}

/** Shows the applicant of a submission. Nothing is requested before a purpose is entered. */
export function ApplicantPart({ submissionId, hasApplication }: ApplicantProps) {
  const { roles } = useSession();
  const [purpose, setPurpose] = useState('');
  const shown = useBriefly<Shown>();
  // People who may not read an Application see masked details only.
  const seesAll = mayCall(roles, SubmissionService.method.getApplication);
  const isReady = isPurpose(purpose) && !shown.isAsking;
  const asked = { submissionId, purpose: purpose.trim() };
  const read = (masked: boolean) =>
    shown.show(async (signal) => {
      const answer = await submissions.readEnquiry({ ...asked, masked }, { signal });
      return masked
        ? { schema: MaskedContactSchema, message: answer.masked }
        : { schema: ReadEnquiryResponseSchema, message: answer };
    });
  const readApplication = () =>
    shown.show(async (signal) => ({
      schema: ApplicationSchema,
      message: await submissions.getApplication(asked, { signal }),
    }));
  return (
    <section className="part">
      <h2>Applicant</h2>
      <form
        className="asks"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) read(true);
        }}
      >
        <Purpose value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady}>
          Enough to recognise somebody
        </Button>
        {seesAll ? (
          <Button disabled={!isReady} onClick={() => read(false)}>
            The whole enquiry
          </Button>
        ) : null}
        {seesAll && hasApplication ? (
          <Button disabled={!isReady} onClick={readApplication}>
            The Application
          </Button>
        ) : null}
      </form>
      <ShownBriefly of={shown} label="The applicant">
        {({ schema, message }) =>
          message ? <MessageFields schema={schema} message={message} /> : <p>Nothing is left of them.</p>
        }
      </ShownBriefly>
    </section>
  );
}
