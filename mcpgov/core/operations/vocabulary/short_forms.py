"""Short forms of words, as data: the word that an abbreviation, or two words written as one, stand for.

Law: a short form stands here only if it means the same word in any server's names.
"""

from __future__ import annotations

_PAIRS = """
    msg message  msgs messages  pymt payment  pmt payment  pmts payments  pymts payments  txn transaction
    txns transactions  trx transaction  acct account  accts accounts  appt appointment  appts appointments
    xfer transfer
    xfers transfers  resv reservation  rsvn reservation  bkg booking  notif notification  notifs notifications
    usr user  usrs users  pwd password  passwd password  perms permissions  privs privileges  creds credentials
    cred credential  cfg config  conf config  svc service  svcs services  srv server  subs subscriptions
    subscr subscription  apikey api-key  apikeys api-keys  accesskey access-key  sshkey ssh-key
    authtoken access-token
    serviceaccount service-account  sched schedule  snd send  fwd forward  recv receive  crt create  mk make
    mtg meeting  mtgs meetings  cust customer  addr address  amt amount  bal balance  stmt statement  rcpt receipt
    img image  imgs images  vid video  vids videos  evt event  evts events  grp group  grps groups  chan channel
    tbl table  idx index  attch attach  qry query  req request  reqs requests  deploys deployments  pkg package
    pkgs packages  po order  inv invoice  invs invoices  ord order  ords orders  shpmt shipment  whse warehouse
    emp employee
    emps employees  mbr member  mbrs members  eml email  emls emails
    unsub unsubscribe  dsc description  lvl level  ver version
    pullrequest pull-request  mergerequest merge-request
"""
_words = _PAIRS.split()
SHORT_FORMS = dict(zip(_words[::2], _words[1::2], strict=True))
