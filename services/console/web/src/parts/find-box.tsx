import { Button, InputGroup } from '@blueprintjs/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

/** Looks for a submission by what somebody has at hand. What is looked for is no detail of a person: it stands in the address. */
export function FindBox() {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  return (
    <search className="find-place">
      <form
        className="find"
        onSubmit={(event) => {
          event.preventDefault();
          const what = text.trim();
          if (what !== '') void navigate({ to: '/find', search: { what } });
        }}
      >
        <InputGroup
          aria-label="Submission or Application"
          placeholder="Submission id or Application"
          value={text}
          maxLength={128}
          onValueChange={setText}
        />
        <Button type="submit">Find</Button>
      </form>
    </search>
  );
}
