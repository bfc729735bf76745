import { Button, Callout } from '@blueprintjs/core';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { mayCall } from './calls.ts';
import { FindBox } from './parts/find-box.tsx';
import { logOut, resumeSession, useSession } from './session.ts';

/** The screens in the navigation. A screen is shown to people who may make the call that fills it. */
const SCREENS = [
  { path: '/submissions', name: 'Submissions', call: SubmissionService.method.listSubmissions },
  { path: '/suppliers', name: 'Suppliers', call: AccountService.method.listAccounts },
  { path: '/money', name: 'Money', call: SubmissionService.method.listPendingLeads },
  { path: '/figures', name: 'Figures', call: BillingService.method.getBillableValue },
  { path: '/policies', name: 'Policies', call: PolicyService.method.listPolicies },
  { path: '/approvals', name: 'Approvals', call: ApprovalService.method.listApprovals },
  { path: '/people', name: 'People', call: PrivacyService.method.findPerson },
  { path: '/audit', name: 'Audit', call: AuditService.method.listAudit },
  { path: '/records', name: 'Records', call: ReconciliationService.method.reconcile },
] as const;

/** The frame of every screen: navigation, the person's name, and a notice when the login is over. */
export function Shell() {
  const { subject, roles, isOver } = useSession();
  const [stays, setStays] = useState(false);
  const main = useTitle();
  return (
    <>
      <a className="skip" href="#screen">
        Skip to the screen
      </a>
      <header className="top">
        <nav aria-label="Screens">
          <Link to="/" activeOptions={{ exact: true }}>
            Today
          </Link>
          {SCREENS.filter(({ call }) => mayCall(roles, call)).map(({ path, name }) => (
            <Link to={path} key={path}>
              {name}
            </Link>
          ))}
        </nav>
        <FindBox />
        <div className="who">
          <span>
            {subject} <small>({roles.join(', ')})</small>
          </span>
          <Button size="small" onClick={() => logOut().catch(() => setStays(true))}>
            Log out everywhere
          </Button>
        </div>
      </header>
      {isOver ? <LoginOver /> : null}
      {stays ? (
        <Callout intent="danger" role="alert">
          You are logged in still: the console did not answer. Try again.
        </Callout>
      ) : null}
      <main id="screen" tabIndex={-1} ref={main}>
        <Outlet />
      </main>
    </>
  );
}

/** Sets the page title for the current screen, and moves the focus to the screen when a person navigates to it. */
function useTitle(): RefObject<HTMLElement | null> {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    const { name } = SCREENS.find(({ path }) => pathname.startsWith(path)) ?? {
      name: pathname === '/find' ? 'Find' : 'Today',
    };
    document.title = `${name} · Staff console`;
    if (before.current !== pathname) main.current?.focus();
    before.current = pathname;
  }, [pathname]);
  return main;
}

function LoginOver() {
  return (
    <Callout intent="warning" title="Your login is over" role="alert">
      <p>Nothing that you have typed is lost: log in on another tab, then come back and go on.</p>
      <a className="bp6-button" href="/login" target="_blank" rel="noreferrer">
        Log in on another tab
      </a>{' '}
      <Button onClick={() => void resumeSession()}>Go on</Button>
    </Callout>
  );
}
