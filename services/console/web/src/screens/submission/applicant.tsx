import type { DescMessage, Message } from '@bufbuild/protobuf';
import { Button, Text } from '@mantine/core';
import { MaskedContactSchema, ReadEnquiryResponseSchema } from '@supplier/proto/submission/v1/read_enquiry';
import { ApplicationSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useState } from 'react';
import { mayCall, submissions } from '../../calls.ts';
import { MessageFields } from '../../components/message-fields.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { useSession } from '../../session.ts';

interface Details {
  readonly schema: DescMessage;
  readonly message: Message | undefined;
}

interface ApplicantProps {
  readonly submissionId: string;
  /** Whether there is an Application, which contains the applicant's details at the time it was created. */
  readonly hasApplication: boolean;
}

/** The applicant of a submission. Nothing is requested before a purpose is stated. */
export function ApplicantPanel({ submissionId, hasApplication }: ApplicantProps) {
  const { roles } = useSession();
  const [isOpen, setOpen] = useState(false);
  const details = useReveal<Details>();
  // People who may not read an Application see masked details only.
  const seesAll = mayCall(roles, SubmissionService.method.getApplication);
  const readMasked = (purpose = '') =>
    details.show(async (signal) => {
      const { masked } = await submissions.readEnquiry({ submissionId, purpose, masked: true }, { signal });
      return { schema: MaskedContactSchema, message: masked };
    });
  const readEnquiry = (purpose = '') =>
    details.show(async (signal) => ({
      schema: ReadEnquiryResponseSchema,
      message: await submissions.readEnquiry({ submissionId, purpose, masked: false }, { signal }),
    }));
  const readApplication = (purpose = '') =>
    details.show(async (signal) => ({
      schema: ApplicationSchema,
      message: await submissions.getApplication({ submissionId, purpose }, { signal }),
    }));
  return (
    <PanelFrame
      title="Applicant"
      actions={
        isOpen ? null : (
          <Button size="compact-sm" onClick={() => setOpen(true)}>
            Reveal…
          </Button>
        )
      }
    >
      {isOpen ? (
        <PurposeForm autoFocus isReady={!details.isAsking} onSubmit={readMasked}>
          {(purpose) => (
            <>
              <Button type="submit" variant="filled" disabled={purpose === undefined}>
                Masked details
              </Button>
              {seesAll ? (
                <Button disabled={purpose === undefined} onClick={() => readEnquiry(purpose)}>
                  Full enquiry
                </Button>
              ) : null}
              {seesAll && hasApplication ? (
                <Button disabled={purpose === undefined} onClick={() => readApplication(purpose)}>
                  Application
                </Button>
              ) : null}
            </>
          )}
        </PurposeForm>
      ) : (
        <Text size="sm" c="dimmed">
          Revealing details needs a purpose and is recorded in the audit log.
        </Text>
      )}
      <Revealed of={details} label="Applicant">
        {({ schema, message }) =>
          message ? <MessageFields schema={schema} message={message} /> : <p>The details have been erased.</p>
        }
      </Revealed>
    </PanelFrame>
  );
}
