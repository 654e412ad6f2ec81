// driver KUBELET CDI CONFIG: what a driver of resource claims (DRA) does on a node, for the kubelet whose folder is
// KUBELET and the container runtime that reads CDI specifications from CDI. There are no chips: what a container with a
// claim gets is what CONFIG says, which is read again for every claim. Without CONFIG there is no driver.
//
//	{"name": "tpu.google.com", "node": "node-1", "env": ["NAME=value"], "mounts": {"/on/the/node": "/in/it"}}
//
// Devices are offered to the scheduler by ResourceSlices, which are not written here.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	dra "k8s.io/kubelet/pkg/apis/dra/v1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const (
	class = "tpu" // of the CDI devices: k8s.NAME/tpu
	again = 100 * time.Millisecond
)

type config struct {
	Name, Node string
	Env        []string
	Mounts     map[string]string
}

func read(path string) (found config, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	return found, err
}

type driver struct {
	dra.UnimplementedDRAPluginServer
	cdi, config string
}

func (d *driver) NodePrepareResources(_ context.Context, request *dra.NodePrepareResourcesRequest) (*dra.NodePrepareResourcesResponse, error) {
	answer := &dra.NodePrepareResourcesResponse{Claims: map[string]*dra.NodePrepareResourceResponse{}}
	for _, claim := range request.Claims {
		device, err := d.prepare(claim.Uid)
		if err != nil {
			answer.Claims[claim.Uid] = &dra.NodePrepareResourceResponse{Error: err.Error()}
			continue
		}
		answer.Claims[claim.Uid] = &dra.NodePrepareResourceResponse{Devices: []*dra.Device{device}}
	}
	return answer, nil
}

func (d *driver) NodeUnprepareResources(_ context.Context, request *dra.NodeUnprepareResourcesRequest) (*dra.NodeUnprepareResourcesResponse, error) {
	answer := &dra.NodeUnprepareResourcesResponse{Claims: map[string]*dra.NodeUnprepareResourceResponse{}}
	for _, claim := range request.Claims {
		os.Remove(d.file(claim.Uid))
		answer.Claims[claim.Uid] = &dra.NodeUnprepareResourceResponse{}
	}
	return answer, nil
}

// One CDI device for all that a claim was given; the kubelet asks for it in each container that uses the claim.
func (d *driver) prepare(uid string) (*dra.Device, error) {
	told, err := read(d.config)
	if err != nil {
		return nil, err
	}
	kind := fmt.Sprintf("k8s.%s/%s", told.Name, class)
	mounts := []map[string]any{}
	for node, inside := range told.Mounts {
		mounts = append(mounts, map[string]any{"hostPath": node, "containerPath": inside, "options": []string{"ro", "bind"}})
	}
	edits := map[string]any{"env": told.Env, "mounts": mounts}
	specification, err := json.Marshal(map[string]any{"cdiVersion": "0.6.0", "kind": kind,
		"devices": []any{map[string]any{"name": uid, "containerEdits": edits}}})
	if err != nil {
		return nil, err
	}
	aside := filepath.Join(d.cdi, "."+uid)
	if err := os.WriteFile(aside, specification, 0o644); err != nil {
		return nil, err
	}
	if err := os.Rename(aside, d.file(uid)); err != nil {
		return nil, err
	}
	return &dra.Device{PoolName: told.Node, DeviceName: "0", CdiDeviceIds: []string{kind + "=" + uid}}, nil
}

func (d *driver) file(uid string) string {
	return filepath.Join(d.cdi, "claim-"+uid+".json")
}

type registrar struct {
	registration.UnimplementedRegistrationServer
	name, endpoint string
}

func (r *registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{Type: registration.DRAPlugin, Name: r.name, Endpoint: r.endpoint,
		SupportedVersions: []string{dra.DRAPluginService}}, nil
}

func (r *registrar) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("registered: %t %s", status.PluginRegistered, status.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: driver KUBELET CDI CONFIG")
	}
	kubelet, cdi, file := os.Args[1], os.Args[2], os.Args[3]
	told, err := read(file)
	for ; err != nil; told, err = read(file) {
		time.Sleep(again) // nobody wants one yet
	}
	endpoint := filepath.Join(kubelet, "plugins", told.Name, "dra.sock")
	claims, registry := grpc.NewServer(), grpc.NewServer()
	dra.RegisterDRAPluginServer(claims, &driver{cdi: cdi, config: file})
	registration.RegisterRegistrationServer(registry, &registrar{name: told.Name, endpoint: endpoint})
	go func() { log.Fatal(serve(claims, endpoint)) }()
	log.Fatal(serve(registry, filepath.Join(kubelet, "plugins_registry", told.Name+"-reg.sock")))
}

func serve(server *grpc.Server, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	return server.Serve(listener)
}
