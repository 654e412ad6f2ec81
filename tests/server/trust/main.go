// Asks Go's own verifier about certificates, as the API server calls a webhook (crypto/tls, with the
// caBundle as RootCAs): each argument is a folder with tls.crt and ca.crt; "FOLDER ok" or "FOLDER why".
package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func verdict(folder, host string, now time.Time) error {
	bundle, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return fmt.Errorf("no certificate in the bundle")
	}
	chain, err := os.ReadFile(filepath.Join(folder, "tls.crt"))
	if err != nil {
		return err
	}
	var leaf *x509.Certificate
	between := x509.NewCertPool()
	for block, rest := pem.Decode(chain); block != nil; block, rest = pem.Decode(rest) {
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err // of any: a handshake with it fails
		}
		if leaf == nil {
			leaf = one
		} else {
			between.AddCert(one)
		}
	}
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, DNSName: host, CurrentTime: now})
	return err
}

func main() {
	host := os.Args[1]
	now, err := time.Parse(time.RFC3339, os.Args[2])
	if err != nil {
		panic(err)
	}
	for _, folder := range os.Args[3:] {
		if err := verdict(folder, host, now); err != nil {
			fmt.Printf("%s %v\n", filepath.Base(folder), err)
		} else {
			fmt.Printf("%s ok\n", filepath.Base(folder))
		}
	}
}
